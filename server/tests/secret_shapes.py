"""What credentials look like, as a grammar; the random parts are made when the tests run.

`{w:36}` is 36 letters and digits, `{h:36}` hex, `{l:36}` lower-case letters and digits, `{u:36}` upper-case
letters and digits, `{a:36}` letters, `{d:36}` digits, `{b:36}` base64url, `{B:36}` base64, `{2:36}` base32,
`{5:36}` base58, `{n:36}` bech32; `{uuid}`, `{login}` and `{pem}` are a UUID, a login in base64 and a key
block; `·` is a space, `¶` a line break.
"""

from __future__ import annotations

import base64
import random
import re
import string

_ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "a": string.ascii_letters,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "n": "023456789acdefghjklmnpqrstuvwxyz",
    "d": string.digits,
    "5": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "2": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "b": string.ascii_letters + string.digits + "-_",
    "B": string.ascii_letters + string.digits + "+/",
}
_PART = re.compile(r"\{(?P<kind>\w):(?P<length>\d+)\}|\{(?P<named>uuid|login|pem)\}")

_TABLE = r"""
anthropic               sk-ant-api03-{b:93}AA
anthropic-admin         sk-ant-admin01-{b:93}AA
anthropic-oauth         sk-ant-oat01-{b:86}AA
openai                  sk-{w:20}T3BlbkFJ{w:20}
openai-project          sk-proj-{b:74}T3BlbkFJ{b:74}
openai-service          sk-svcacct-{b:60}
openrouter              sk-or-v1-{h:64}
deepseek                sk-{h:32}
langfuse                sk-lf-{uuid}
helicone                sk-helicone-{l:7}-{l:7}-{l:7}-{l:7}
elevenlabs              sk_{h:48}
google-api              AIzaSy{b:33}
gemini                  AQ.Ab8RN6{b:44}
hugging-face            hf_{a:34}
groq                    gsk_{w:52}
xai                     xai-{w:80}
perplexity              pplx-{w:48}
replicate               r8_{w:37}
langsmith               lsv2_pt_{h:32}_{h:10}
cerebras                csk-{l:48}
nvidia                  nvapi-{b:64}
tavily                  tvly-{w:32}
tavily-dev              tvly-dev-{w:32}
together                tgp_v1_{b:43}
fireworks               fw_{w:24}
pinecone                pcsk_{w:6}_{w:63}
voyage                  pa-{b:43}
jina                    jina_{h:32}{b:28}
firecrawl               fc-{h:32}
runpod                  rpa_{u:40}{l:4}
e2b                     e2b_{h:40}
wandb                   wandb_v1_{w:77}
modal                   ak-{w:22}
cohere                  COHERE_API_KEY={w:40}
mistral                 MISTRAL_API_KEY={w:32}
deepgram                DEEPGRAM_API_KEY={h:40}
assemblyai              ASSEMBLYAI_API_KEY={h:32}
azure-openai            AZURE_OPENAI_API_KEY={w:52}JQQJ99{w:26}
bedrock                 ABSK{B:110}=
brave                   BSA{b:28}
apify                   apify_api_{w:36}
github-classic          ghp_{w:36}
github-fine-grained     github_pat_{w:22}_{w:59}
github-oauth            gho_{w:36}
github-user             ghu_{w:36}
github-server           ghs_{w:36}
github-refresh          ghr_{w:76}
gitlab                  glpat-{b:20}
gitlab-routable         glpat-{b:27}.{l:2}.{l:9}
gitlab-deploy           gldt-{b:20}
gitlab-runner           glrt-{b:20}
gitlab-trigger          glptt-{h:40}
gitlab-job              glcbt-{h:2}_{b:20}
gitlab-feed             glft-{b:20}
gitlab-agent            glagent-{b:50}
gitlab-scim             glsoat-{b:20}
gitlab-registration     GR1348941{b:20}
bitbucket               ATBB{w:32}
bitbucket-repository    ATCTT3xFfGN0{b:172}={H:8}
atlassian               ATATT3xFfGF0{b:172}={H:8}
azure-devops            {l:52}JQQJ99{w:18}AZDO{w:4}
circleci                CCIPAT_{w:22}_{h:40}
circleci-project        CCIPRJ_{w:22}_{h:40}
buildkite               bkua_{h:40}
sonarqube               squ_{h:40}
sonarqube-project       sqp_{h:40}
sourcegraph             sgp_{h:16}_{h:40}
snyk                    SNYK_TOKEN={uuid}
codecov                 CODECOV_TOKEN={uuid}
harness                 pat.{b:22}.{h:24}.{w:20}
octopus                 API-{u:26}
teamcity                eyJ0eXAiOiAiVENWMiJ9.{b:40}.{b:48}
jenkins                 JENKINS_API_TOKEN=11{h:32}
npm                     npm_{w:36}
npmrc                   //registry.some.test/:_authToken={uuid}
npmrc-auth              _auth={login}
pypi                    pypi-AgEIcHlwaS5vcmc{b:120}
pypirc                  [pypi]¶username·=·__token__¶password·=·pypi-{b:120}
rubygems                rubygems_{h:48}
crates                  cio{w:32}
clojars                 CLOJARS_{h:60}
nuget                   oy2{l:43}
docker-hub              dckr_pat_{b:27}
docker-organization     dckr_oat_{b:32}
docker-config           {"auths":{"index.docker.io":{"auth":"{login}"}}}
artifactory             AKCp{w:69}
artifactory-reference   cmVmd{w:59}
aws-access              AKIA{2:16}
aws-temporary           ASIA{2:16}
aws-secret              aws_secret_access_key·=·{B:40}
aws-session             AWS_SESSION_TOKEN=IQoJb3JpZ2luX2Vj{B:200}==
aws-mws                 amzn.mws.{uuid}
google-oauth            ya29.a0{b:160}
google-refresh          1//0{b:60}
google-client           GOCSPX-{b:28}
google-account          {"type":"service_account","private_key_id":"{h:40}"}
google-account-key      "private_key":·"{pem}"
firebase-messaging      AAAA{b:7}:APA91b{b:134}
azure-storage           DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={B:86}==;Suffix=x
azure-bus               Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKey={B:43}=
azure-config            Endpoint=https://shop.azconfig.io;Id=a-l0-s0:x;Secret={B:43}=
azure-cosmos            AccountEndpoint=https://shop.documents.azure.com:443/;AccountKey={B:86}==;
azure-sql               Server=tcp:shop.database.windows.net;User·ID=ada;Password={w:16};Encrypt=True
azure-sas               https://shop.blob.core.windows.net/c/f?sv=2026-01-01&sr=b&sig={w:42}%3D
azure-client            {w:3}8Q~{b:34}
azure-functions         https://shop.azurewebsites.net/api/f?code={b:54}==
alibaba                 LTAI5t{w:18}
alibaba-secret          ALIBABA_CLOUD_ACCESS_KEY_SECRET={w:30}
tencent                 AKID{w:32}
yandex                  AQVN{b:36}
ibm                     IBMCLOUD_API_KEY={b:44}
oracle                  OCI_AUTH_TOKEN={w:20}
digitalocean            dop_v1_{h:64}
digitalocean-oauth      doo_v1_{h:64}
heroku                  HRKU-AA{b:58}
heroku-old              HEROKU_API_KEY={uuid}
cloudflare              cfut_{w:40}{h:8}
cloudflare-old          CLOUDFLARE_API_TOKEN={b:40}
cloudflare-global       CF_API_KEY={h:37}
cloudflare-origin       v1.0-{h:24}-{h:146}
fly                     FlyV1·fm2_{B:120}=
fly-organization        fo1_{b:43}
netlify                 nfp_{w:36}
vercel                  vcp_{w:56}
vercel-old              VERCEL_TOKEN={w:24}
render                  rnd_{w:28}
railway                 RAILWAY_TOKEN={uuid}
linode                  LINODE_TOKEN={h:64}
hetzner                 HCLOUD_TOKEN={w:64}
scaleway                SCW_SECRET_KEY={uuid}
scaleway-access         SCW{u:17}
vultr                   VULTR_API_KEY={u:36}
neon                    napi_{l:64}
supabase                sbp_{h:40}
supabase-secret         sb_secret_{b:31}
planetscale             pscale_tkn_{b:43}
planetscale-password    pscale_pw_{b:43}
upstash                 UPSTASH_REDIS_REST_TOKEN=AX{b:54}
mongodb-atlas           mdb_sa_sk_{b:40}
databricks              dapi{h:32}
snowflake               SNOWFLAKE_PASSWORD={w:16}
confluent               cflt{B:60}
aiven                   AVNS_{b:19}
cockroach               CCDB1_{w:22}_{w:40}
elastic                 essu_{b:80}==
vault                   hvs.{b:95}
vault-batch             hvb.{b:140}
terraform               {w:14}.atlasv1.{b:67}
terraformrc             credentials·"app.terraform.io"·{·token·=·"{w:14}.atlasv1.{b:67}"·}
pulumi                  pul-{h:40}
doppler                 dp.pt.{w:43}
doppler-service         dp.st.prd.{w:43}
infisical               st.{h:24}.{h:32}.{h:32}
one-password            ops_eyJ{B:300}
one-password-key        A3-{u:6}-{u:6}-{u:5}-{u:5}-{u:5}-{u:5}
bitwarden               BWS_ACCESS_TOKEN=0.{uuid}.{w:30}:{B:22}==
tailscale               tskey-auth-{w:12}CNTRL-{w:32}
tailscale-api           tskey-api-{w:12}CNTRL-{w:32}
ngrok                   2{w:26}_{w:21}
openshift               sha256~{b:43}
kubeconfig-token        users:¶-·name:·ada¶··user:¶····token:·eyJ{b:33}.eyJ{b:200}.{b:342}
kubeconfig-key          users:¶-·name:·ada¶··user:¶····client-key-data:·{B:160}==
kubernetes-secret       apiVersion:·v1¶kind:·Secret¶metadata:¶··name:·db¶data:¶··url:·{B:32}
kubeadm                 kubeadm·join·10.0.0.1:6443·--token·{l:6}.{l:16}
rancher                 token-{l:5}:{l:54}
swarm                   SWMTKN-1-{l:50}-{l:25}
slack-bot               xoxb-{d:12}-{d:13}-{w:24}
slack-user              xoxp-{d:12}-{d:12}-{d:13}-{h:32}
slack-app               xapp-1-A{u:10}-{d:13}-{h:64}
slack-configuration     xoxe.xoxp-1-{B:163}
slack-session           xoxc-{d:12}-{d:12}-{d:13}-{h:64}
slack-cookie            xoxd-{w:60}%2B{w:40}%3D
slack-webhook           https://hooks.slack.com/services/T{u:8}/B{u:10}/{w:24}
slack-workflow          https://hooks.slack.com/workflows/T{u:8}/A{u:10}/{d:18}/{w:24}
discord-bot             M{w:25}.{b:6}.{b:38}
discord-webhook         https://discord.com/api/webhooks/{d:19}/{b:68}
telegram                {d:10}:AA{b:33}
telegram-url            https://api.telegram.org/bot{d:10}:AA{b:33}/getMe
teams-webhook           https://shop.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{h:32}/{uuid}
teams-workflow          https://prod-12.eu.logic.azure.com:443/workflows/{h:32}/triggers/invoke?sig={b:43}
google-chat             https://chat.googleapis.com/v1/spaces/{w:11}/messages?key=AIzaSy{b:33}&token={b:43}
mattermost              https://chat.some.test/hooks/{l:26}
lark                    https://open.feishu.cn/open-apis/bot/v2/hook/{uuid}
dingtalk                https://oapi.dingtalk.com/robot/send?access_token={h:64}
wecom                   https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid}
zapier                  https://hooks.zapier.com/hooks/catch/{d:7}/{l:7}/
make                    https://hook.eu1.make.com/{l:32}
ifttt                   https://maker.ifttt.com/trigger/door/with/key/{b:22}
twilio                  SK{h:32}
twilio-token            TWILIO_AUTH_TOKEN={h:32}
line                    LINE_CHANNEL_ACCESS_TOKEN={B:172}=
zoom                    ZOOM_CLIENT_SECRET={w:32}
webex                   WEBEX_TOKEN={b:64}_PF84_{uuid}
facebook                EAA{w:180}
instagram               IGQV{b:140}
twitter-bearer          AAAAAAAAAAAAAAAAAAAAA{w:30}%2F{w:50}
twitter-secret          TWITTER_ACCESS_SECRET={w:45}
linkedin                LINKEDIN_CLIENT_SECRET={w:16}
twitch                  oauth:{l:30}
spotify                 SPOTIFY_CLIENT_SECRET={h:32}
stripe                  sk_live_{w:24}
stripe-long             sk_live_51{w:97}
stripe-test             sk_test_{w:24}
stripe-restricted       rk_live_{w:24}
stripe-webhook          whsec_{w:32}
paypal                  PAYPAL_CLIENT_SECRET=E{b:79}
braintree               access_token$production${l:16}${h:32}
square                  sq0atp-{b:22}
square-secret           sq0csp-{b:43}
square-long             EAAA{b:60}
adyen                   AQE{w:2}{B:90}=-{B:40}
mollie                  live_{w:30}
paddle                  pdl_live_apikey_{l:26}_{w:22}_{w:3}
razorpay                rzp_live_{w:14}
razorpay-secret         RAZORPAY_KEY_SECRET={w:24}
plaid                   access-production-{uuid}
plaid-secret            PLAID_SECRET={h:30}
flutterwave             FLWSECK-{h:32}-X
shippo                  shippo_live_{h:40}
easypost                EZAK{w:54}
duffel                  duffel_live_{b:43}
shopify                 shpat_{h:32}
shopify-secret          shpss_{h:32}
coinbase                COINBASE_API_SECRET={w:64}
binance                 BINANCE_SECRET_KEY={w:64}
alchemy                 https://eth-mainnet.g.alchemy.com/v2/{b:32}
infura                  https://mainnet.infura.io/v3/{h:32}
sendgrid                SG.{b:22}.{b:43}
mailgun                 key-{h:32}
mailgun-new             {h:32}-{h:8}-{h:8}
mailchimp               {h:32}-us12
mandrill                md-{b:22}
brevo                   xkeysib-{h:64}-{w:16}
brevo-smtp              xsmtpsib-{h:64}-{w:16}
resend                  re_{w:8}_{w:24}
postmark                POSTMARK_SERVER_TOKEN={uuid}
mailersend              mlsn.{h:64}
sparkpost               SPARKPOST_API_KEY={h:40}
datadog                 DD_API_KEY={h:32}
datadog-application     DD_APP_KEY={h:40}
new-relic               NRAK-{u:27}
new-relic-insert        NRII-{b:32}
new-relic-license       {h:36}NRAL
sentry-organization     sntrys_eyJpYXQiO{B:120}_{B:43}
sentry-user             sntryu_{h:64}
sentry-address          https://{h:32}@o{d:6}.ingest.sentry.io/{d:7}
grafana                 glsa_{w:32}_{h:8}
grafana-cloud           glc_{B:120}=
grafana-old             eyJrIjoi{B:90}
dynatrace               dt0c01.{2:24}.{2:64}
honeycomb               hcaik_{l:58}
posthog                 phx_{w:43}
axiom                   xaat-{uuid}
pagerduty               PAGERDUTY_TOKEN=u+{w:18}
opsgenie                OPSGENIE_API_KEY={uuid}
splunk                  Authorization:·Splunk·{uuid}
rollbar                 ROLLBAR_ACCESS_TOKEN={h:32}
launchdarkly            sdk-{uuid}
statsig                 secret-{w:43}
algolia                 ALGOLIA_ADMIN_API_KEY={h:32}
contentful              CFPAT-{b:43}
notion                  ntn_{d:11}{w:35}
notion-old              secret_{w:43}
linear                  lin_api_{w:40}
airtable                pat{w:14}.{h:64}
figma                   figd_{b:40}
asana                   1/{d:16}:{h:32}
trello                  ATTA{h:64}{H:8}
clickup                 pk_{d:8}_{u:32}
hubspot                 pat-na1-{uuid}
hubspot-europe          pat-eu1-{uuid}
salesforce              00D{w:15}!{w:96}
intercom                dG9rO{B:54}=
typeform                tfp_{b:44}_{b:14}
dropbox                 sl.{b:135}
dropbox-new             sl.u.{b:200}
mapbox                  sk.eyJ1Ijoi{b:80}.{b:22}
postman                 PMAK-{h:24}-{h:34}
okta                    OKTA_API_TOKEN=00{b:40}
auth0                   AUTH0_CLIENT_SECRET={b:64}
clerk                   CLERK_SECRET_KEY=sk_test_{w:42}
onesignal               os_v2_app_{l:100}
pubnub                  sec-c-{B:48}
ably                    {w:6}.{w:6}:{b:43}
prefect                 pnu_{w:36}
dbt                     dbtc_{b:50}
retool                  retool_01{w:30}
inngest                 signkey-prod-{h:64}
trigger                 tr_prod_{w:24}
infracost               ico-{w:32}
wakatime                waka_{uuid}
maxmind                 {w:6}_{w:29}_mmk
adobe                   p8e-{b:32}
canva                   cnvca{b:51}
readme                  rdme_{l:70}
settlemint              sm_pat_{w:16}
kaggle                  {"username":"ada","key":"{h:32}"}
age                     AGE-SECRET-KEY-1{u:58}
jwt                     eyJ{b:33}.eyJ{b:120}.{b:43}
jwe                     eyJ{b:60}..{b:16}.{b:200}.{b:22}
paseto                  v4.local.{b:120}
private-key             {pem}
wireguard               [Interface]¶PrivateKey·=·{B:43}=
wallet                  xprv{5:107}
nostr                   nsec1{n:58}
totp                    otpauth://totp/Shop:ada?secret={2:32}&issuer=Shop
totp-short              otpauth://totp/Shop:ada?secret={2:16}&issuer=Shop&digits=6
postgres                postgresql://app:{w:16}@db.some.test:5432/shop
mysql-url               mysql://root:{w:12}@10.0.0.5/shop
mongodb-url             mongodb+srv://app:{w:16}@cluster0.some.test/shop
redis-url               rediss://default:{w:24}@cache.some.test:6379
amqp-url                amqps://shop:{w:20}@queue.some.test/vhost
smtp-url                smtp://ada%40some.test:{w:16}@smtp.some.test:587
git-url                 https://ada:{w:20}@git.some.test/shop.git
git-token-url           https://oauth2:{w:26}@git.some.test/shop.git
ftp-url                 ftp://ada:{w:10}@files.some.test/
cloudinary              cloudinary://{d:15}:{b:27}@shop
bearer                  Authorization:·Bearer·{w:32}
basic                   Authorization:·Basic·{login}
digest-token            Authorization:·Token·{h:40}
api-key-header          X-Api-Key:·{w:32}
gitlab-header           PRIVATE-TOKEN:·{b:20}
vault-header            X-Vault-Token:·{w:26}
cookie                  Cookie:·session={b:64};·theme=dark
set-cookie              Set-Cookie:·sid={b:48};·HttpOnly
curl-user               curl·-u·ada:{w:16}·https://api.some.test
curl-long               curl·--user·'ada:{w:16}'·https://api.some.test
wget                    wget·--user=ada·--password={w:14}·https://files.some.test/x
httpie                  http·-a·ada:{w:14}·https://api.some.test
netrc                   machine·api.some.test¶··login·ada¶··password·{w:16}
netrc-line              machine·api.some.test·login·ada·password·{w:16}
pgpass                  db.some.test:5432:shop:ada:{w:16}
my-cnf                  [client]¶user=root¶password={w:14}
mysql                   mysql·-u·root·-p{w:12}·shop
mysqldump               mysqldump·-uroot·-p'{w:12}'·shop
psql                    PGPASSWORD={w:14}·psql·-h·db
sshpass                 sshpass·-p·'{w:12}'·ssh·ada@host
redis-cli               redis-cli·-h·cache·-a·{w:20}·ping
redis-conf              requirepass·{w:20}
ldap                    ldapsearch·-D·cn=admin·-w·{w:14}·-b·dc=x
docker-login            docker·login·-u·ada·-p·{w:16}·registry.some.test
openssl                 openssl·enc·-aes-256-cbc·-k·{w:14}·-in·a
zip                     zip·-P·{w:12}·a.zip·b
sql-user                CREATE·USER·ada·IDENTIFIED·BY·'{w:14}';
sql-role                ALTER·ROLE·ada·WITH·PASSWORD·'{w:14}';
smbclient               smbclient·//host/share·-U·ada%{w:12}
htpasswd                htpasswd·-b·.htpasswd·ada·{w:12}
chpasswd                echo·"root:{w:12}"·|·chpasswd
requests                requests.get(url,·auth=("ada",·"{w:16}"))
smtp-login              server.login("ada@some.test",·"{w:16}")
spring                  spring.datasource.password={w:14}
maven                   <server><id>x</id><username>ada</username><password>{w:14}</password></server>
nuget-config            <add·key="ClearTextPassword"·value="{w:14}"·/>
web-config              <add·key="ApiKey"·value="{w:32}"·/>
android                 <string·name="api_key">{w:32}</string>
plist                   <key>Password</key><string>{w:14}</string>
task-definition         {"name":"DB_PASSWORD","value":"{w:16}"}
pod-environment         -·name:·DB_PASSWORD¶··value:·"{w:16}"
wordpress               define('DB_PASSWORD',·'{w:16}');
wordpress-key           define('AUTH_KEY',·'{w:64}');
django                  SECRET_KEY·=·'django-insecure-{w:50}'
rails                   secret_key_base:·{h:128}
laravel                 APP_KEY=base64:{B:43}=
flask                   app.config["SECRET_KEY"]·=·"{h:48}"
terraform-variable      db_password·=·"{w:16}"
ansible                 ansible_become_pass:·{w:14}
wpa                     wpa_passphrase={w:16}
wifi                    psk="{w:16}"
rclone                  pass·=·{b:40}
openvpn                 -----BEGIN·OpenVPN·Static·key·V1-----¶{h:32}¶{h:32}¶-----END
wifi-code               WIFI:T:WPA;S:home;P:{w:16};;
oracle-url              jdbc:oracle:thin:ada/{w:14}@db:1521:shop
sqlplus                 sqlplus·ada/{w:14}@db
ldap-conf               bindpw·{w:16}
go-login                req.SetBasicAuth("ada",·"{w:16}")
powershell              $s·=·ConvertTo-SecureString·"{w:16}"·-AsPlainText·-Force
windows-user            net·user·ada·{w:14}·/add
npm-config              npm·config·set·//registry.some.test/:_authToken·{w:36}
ngrok-command           ngrok·config·add-authtoken·{w:40}
vault-command           vault·login·{w:24}
cargo-command           cargo·login·{w:32}
keytool                 keytool·-importkeystore·-storepass·{w:14}·-v
github-pat              GITHUB_PAT={h:40}
azure-devops-pat        AZURE_DEVOPS_EXT_PAT={l:52}
csv                     url,username,password¶https://a.some.test,ada,{w:14}
markdown-table          |·user·|·password·|¶|---|---|¶|·ada·|·{w:14}·|
"""


def shapes(chance: random.Random) -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each name: a text with a credential, and its longest random parts, none of which may survive."""
    rows = (row.split() for row in _TABLE.strip().splitlines())
    return {name: _made(template, chance) for name, template in rows}


def _made(template: str, chance: random.Random) -> tuple[str, tuple[str, ...]]:
    parts: list[str] = []

    def fill(found: re.Match[str]) -> str:
        part = _part(found, chance)
        parts.append(part)
        return part

    text = _PART.sub(fill, template.replace("·", " ").replace("¶", "\n"))
    lines = [line for part in parts for line in part.split("\n") if not line.startswith("-----")]
    longest = max(len(line) for line in lines)
    return text, tuple(line for line in lines if len(line) == longest)


def _part(found: re.Match[str], chance: random.Random) -> str:
    named = found["named"]
    if named == "uuid":
        return "-".join(_of("h", length, chance) for length in (8, 4, 4, 4, 12))
    if named == "login":
        return base64.b64encode(f"ada:{_of('w', 14, chance)}".encode()).decode()
    if named == "pem":
        lines = "\n".join(_of("B", 64, chance) for _ in range(4))
        return f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----"
    return _of(found["kind"], int(found["length"]), chance)


def _of(kind: str, length: int, chance: random.Random) -> str:
    return "".join(chance.choices(_ALPHABETS[kind], k=length))
