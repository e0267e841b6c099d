"""The forms of known issuers' keys and secret addresses, one row each. Data.

A row of the keys has the kind, the prefixes (separated by commas), the expression that follows a prefix, and
the source of the form; it may continue on an indented line. `...` before a prefix means that it is inside the
key, a minus that there is no prefix: the expression then matches the whole key.

A row of the addresses (webhooks, deploy hooks, signed links) has the kind, a hint, and the expression, whose
group `secret`, if there is one, is removed.

Sources: GL gitleaks' rules (MIT), BL betterleaks' rules (MIT), D the issuer's documentation, U public use of
the service. Only the facts come from there. The expressions are ours and wider, so that a key that is a
little longer or shorter than today's is still found.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Issuer(NamedTuple):
    """The form of an issuer's keys; `is_within`: the hint is inside the key, not at its start."""

    kind: str
    hints: tuple[str, ...]
    pattern: str
    source: str
    is_within: bool = False


_KEY_TABLE = r"""
anthropic-key       sk-ant-                     [\w-]{16,}                           GL
openai-key          sk-proj-,sk-svcacct-,sk-admin- [\w-]{16,}                           GL
minimax-key         sk-api-                     [\w-]{24,}                           BL
langfuse-key        sk-lf-                      [\w-]{20,}                           D
openrouter-key      sk-or-                      (?:v\d-)?[\w-]{24,}                  BL
helicone-key        sk-helicone-                [\w-]{16,}                           D
sk-key              sk-                         (?:[a-z]{2,12}-(?:v\d-)?)?[A-Za-z0-9_]{20,} GL
cartesia-key        sk_car_                     [A-Za-z0-9]{16,}                     BL
sk-key              sk_                         [A-Za-z0-9]{24,}                     BL
google-key          AIza                        [\w-]{30,45}                         GL
google-key          AQ.Ab                       [\w-]{30,}                           BL
huggingface-token   hf_,api_org_                [A-Za-z0-9]{30,}                     GL
groq-key            gsk_                        [A-Za-z0-9]{32,}                     BL
xai-key             xai-                        [\w-]{40,}                           BL
perplexity-key      pplx-                       [A-Za-z0-9]{32,}                     GL
replicate-token     r8_                         [\w-]{30,}                           BL
langsmith-key       lsv2_                       (?:pt|sk)_[0-9a-f_]{30,}             D
langsmith-key       ls__                        [0-9a-f]{30,}                        U
cerebras-key        csk-                        [A-Za-z0-9]{24,}                     BL
nvidia-key          nvapi-                      [\w-]{24,}                           BL
tavily-key          tvly-                       [\w-]{20,}                           D
together-key        tgp_v1_                     [\w-]{24,}                           BL
fireworks-key       fw_,fpk_                    [A-Za-z0-9]{20,}                     D
pinecone-key        pcsk_                       \w{24,}                              U
voyage-key          pa-                         [\w-]{38,}                           U
jina-key            jina_                       [\w-]{30,}                           D
firecrawl-key       fc-                         [0-9a-f]{28,}                        D
runpod-key          rpa_                        [A-Za-z0-9]{30,}                     U
e2b-key             e2b_                        [0-9a-f]{32,}                        D
browserbase-key     bb_live_,bb_test_           [\w-]{16,}                           U
context7-key        ctx7sk-                     [\w-]{20,}                           D
mem0-key            m0-                         [A-Za-z0-9]{32,}                     D
modal-token         ak-,as-                     [A-Za-z0-9]{20,}                     D
friendli-token      flp_                        [A-Za-z0-9]{24,}                     D
zhipu-key           -                           (?<![\w.-])[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![\w.-]) U
dify-key            app-                        (?=[a-z0-9]*[A-Z])(?=\D*\d)[A-Za-z0-9]{24}(?![\w.-]) D
wandb-key           wandb_v1_                   [\w-]{32,}                              BL
cursor-key          key_,crsr_                  [0-9a-f]{48,}                        BL
devin-key           apk_user_,apk_              [A-Za-z0-9+/]{48,}={0,2}             BL
devin-key           cog_                        [a-z2-7]{40,}                        BL
twelvelabs-key      tlk_                        [A-Z0-9]{24,}                        D
coze-token          pat_,sat_                   [A-Za-z0-9]{48,}                     D
anyscale-key        esecret_                    [a-z0-9]{20,}                        D
predibase-key       pb_                         [\w-]{32,}                           U
lambda-key          secret_                     [a-z0-9-]{1,40}_[0-9a-f]{32}\.[A-Za-z0-9]{24,} U
kaggle-token        KGAT_                       [0-9a-f]{24,}                        D
roboflow-key        rf_                         [A-Za-z0-9]{32,}                     U
brave-key           BSA                         [\w-]{24,40}(?![\w-])                BL
apify-token         apify_api_,apify_proxy_     [A-Za-z0-9]{24,}                     BL
github-token        github_pat_                 \w{20,}                              GL
github-token        ghp_,gho_,ghu_,ghs_,ghr_    \w{20,}(?:\.[\w-]{8,}){0,3}          GL
gitlab-token  glpat-,gldt-,glrt-,glrtr-,glptt-,glcbt-,glft-,glimt-  [\w.-]{18,}  GL
gitlab-token        glagent-,gloas-,glsoat-,glffct-,glwt-,GR1348941 [\w.-]{18,}                          GL
bitbucket-token     ATBB                        [A-Za-z0-9]{28,}                     U
atlassian-token     ATATT3,ATCTT3,ATSTT3        [\w=-]{40,}                          GL
trello-token        ATTA                        [0-9A-Za-z]{60,}                     U
circleci-token      CCIPAT_,CCIPRJ_             \w{24,}                              BL
buildkite-token     bkua_,bkaa_,bkaj_,bkct_,bkpt_,bkpat_ [0-9A-Za-z]{30,}                     D
sonar-token         squ_,sqp_,sqa_,sqb_         [0-9a-f]{32,}                        BL
sourcegraph-token   sgp_,sgph_,sgamp_user_      \w{32,}                              GL
snyk-token          snyk_uat.,snyk_sat.         [\w.-]{20,}                          D
aikido-token        AIK_CI_,AIK_SECRET_         [A-Za-z0-9]{20,}                     BL
endorlabs-key       endr+                       [A-Za-z0-9-]{16,}                    BL
stackhawk-key       hawk.                       [\w-]{20}\.[\w-]{20}                 U
harness-token       pat.,sat.                   [\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20} GL
octopus-key         API-                        [A-Z0-9]{25,}                        GL
teamcity-token      eyJ0eXAiOiAiVENWMiJ9.       [\w-]{20,2000}\.[\w-]{20,}           U
jetbrains-token     perm:,perm-                 [\w=-]{8,200}\.[\w=-]{4,200}\.[\w=-]{20,} D
bitrise-token       bit_pat_,bitpat_            [\w-]{20,}                           U
pulumi-token        pul-                        [0-9a-f]{40}                         GL
infracost-key       ico-                        [A-Za-z0-9]{30,}                     GL
prefect-key         pnu_,pnb_                   [A-Za-z0-9]{30,}                     GL
dbt-token           dbtc_,dbtu_                 [\w=+/-]{30,}                        D
gitpod-token        gitpod_pat_                 [\w.-]{20,}                          U
npm-token           npm_                        [A-Za-z0-9]{30,}                     GL
pypi-token          pypi-                       [\w-]{32,}                           GL
rubygems-key        rubygems_                   [0-9a-f]{32,}                        GL
crates-token        cio                         [A-Za-z0-9]{32}(?![\w-])             D
clojars-token       CLOJARS_                    [0-9A-Za-z]{40,}                     GL
nuget-key           oy2                         [a-z0-9]{43}(?!\w)                   U
jsr-token           jsrp_,jsrd_                 [A-Za-z0-9]{30,}                     D
deno-token          ddp_,ddo_                   [A-Za-z0-9]{30,}                     BL
packagist-token  packagist_ack_,packagist_ort_,packagist_out_,packagist_uut_  [0-9a-f]{32,}  D
cloudsmith-key      csa_                        [A-Za-z0-9]{30,}                     U
docker-token        dckr_pat_,dckr_oat_         [\w-]{20,}                           BL
artifactory-key     AKCp                        [A-Za-z0-9]{60,}                     GL
artifactory-token   cmVmd                       [A-Za-z0-9]{55,}                     GL
aws-key             AKIA,ASIA,ABIA,ACCA         [A-Z0-9]{16}(?![A-Za-z0-9])          GL
aws-key             A3T                         [A-Z0-9][A-Z2-7]{16}(?![A-Za-z0-9])  GL
aws-bedrock-key     ABSK                        [A-Za-z0-9+/]{80,}={0,2}             BL
aws-bedrock-key     bedrock-api-key-            [A-Za-z0-9+/=]{24,}                  BL
aws-session-token   IQoJb3JpZ2lu,FwoGZXIvYXdz,FQoGZXIvYXdz [A-Za-z0-9+/=]{60,}                  U
aws-mws-token       amzn.mws.                   [0-9a-f-]{32,}                       U
amazon-secret       amzn1.oa2-cs.v1.            [0-9a-f]{40,}                        U
amazon-token        Atzr|,Atza|                 [\w-]{60,}                           U
google-token        ya29.                       [\w-]{20,}                           D
google-token        1//0                        [\w-]{30,}                           D
google-token        4/0A                        [\w-]{40,}                           D
google-secret       GOCSPX-                     [\w-]{20,}                           D
google-hmac-key     GOOG1E                      [A-Z0-9]{40,}                        D
azure-secret        ...Q~                       [\w.~-]{3}\dQ~[\w.~-]{31,}           GL
azure-key           ...JQQJ9                    [A-Za-z0-9]{32,60}JQQJ9[A-Za-z0-9]{20,40} D
azure-key           ...AzFu                     [\w-]{40,50}AzFu[\w-]{4,12}={0,2}    D
azure-key           ...AzSe                     [A-Za-z0-9]{40,44}AzSe[A-Za-z0-9]{4,12} D
azure-key           ...AzCa                     [A-Za-z0-9+/]{31,35}AzCa[A-Za-z0-9+/]{4,8}=? D
azure-key           ...+ASt                     [A-Za-z0-9+/]{74,78}\+ASt[A-Za-z0-9+/]{4,8}={0,2} D
azure-key           ...ACDb                     [A-Za-z0-9+/]{74,80}ACDb[A-Za-z0-9+/]{4,8}={0,2} D
azure-registry-key  ...+ACR                     [A-Za-z0-9+/]{40,44}\+ACR[A-Za-z0-9+/]{4,8} D
azure-devops-token  ...AZDO                     [A-Za-z0-9]{60,80}AZDO[A-Za-z0-9]{2,15} D
alibaba-key         LTAI                        [A-Za-z0-9]{12,26}(?![\w-])          GL
alibaba-key         STS.                        [A-Za-z0-9]{20,}                     BL
tencent-key         AKID                        [A-Za-z0-9_-]{13,60}(?![\w-])        U
volcengine-key      AKLT                        [A-Za-z0-9+/_-]{30,}={0,2}           U
baidu-key           bce-v3/ALTAK-               [\w/-]{24,}                          D
yandex-key          AQVN                        [\w-]{30,}                           GL
yandex-key          YCAJE                       [\w-]{20}(?![\w-])                   GL
yandex-key          YCM,YCN,YCO,YCP             [\w-]{35,40}(?![\w-])                GL
yandex-token        t1.                         [\w=-]{8,2000}\.[\w=-]{60,}          GL
yandex-token        y0_,y1_                     [\w-]{30,}                           D
vk-token            vk1.a.                      [\w-]{40,}                           U
digitalocean-token  dop_v1_,doo_v1_,dor_v1_,dosec_ [0-9a-f]{32,}                        GL
digitalocean-key    DO00,DO80                   [A-Z0-9]{16,}(?![a-z])               U
heroku-key          HRKU-                       [\w-]{20,}                           GL
cloudflare-key      v1.0-                       [0-9a-f]{24}-[0-9a-f]{100,}          GL
cloudflare-token    cfut_,cfat_,cfk_            [A-Za-z0-9]{32,}                     D
cloudflare-token    eyJhIjoi                    [\w-]{60,}={0,2}                     D
fly-token           fm1_,fm1a_,fm1r_,fm2_,fo1_  [\w+/=-]{24,}                        GL
netlify-token       nfp_,nfc_,nfo_,nfu_,nfb_    [A-Za-z0-9]{30,}                     D
vercel-token        vcp_,vci_,vca_,vcr_,vck_    [\w-]{20,}                           BL
vercel-token        vercel_blob_rw_             \w{20,}                              D
render-key          rnd_                        [A-Za-z0-9]{20,}                     U
railway-token       railway_                    [\w-]{24,}                           U
neon-key            napi_                       [a-z0-9]{32,}                        U
xata-key            xau_                        [A-Za-z0-9]{24,}                     D
supabase-key        sbp_,sb_secret_             [\w-]{20,}                           BL
planetscale-token  pscale_tkn_,pscale_pw_,pscale_oauth_,pscale_app_secret_  [\w.=-]{20,}  GL
databricks-token    dapi                        [0-9a-f]{32}(?:-\d+)?                GL
databricks-secret   dose                        [0-9a-f]{32}                         D
clickhouse-key      4b1d                        [A-Za-z0-9]{38}(?!\w)                GL
confluent-secret    cflt                        [A-Za-z0-9+/]{58,}                   D
aiven-password      AVNS_                       [\w-]{15,}                           D
mongodb-secret      mdb_sa_sk_                  [\w-]{24,}                           BL
cockroach-key       CCDB1_                      \w{40,}                              BL
elastic-key         essu_                       [\w-]{32,}={0,2}                     BL
scaleway-key        SCW                         [A-Z0-9]{17}(?![A-Za-z0-9])          D
exoscale-key        EXO                         [A-Za-z0-9]{24,30}(?!\w)             BL
upcloud-token       ucat_                       [0-9A-Za-z]{24,}                     BL
scalingo-token      tk-us-                      [\w-]{40,}                           GL
vault-token         hvs.,hvb.,hvr.              [\w-]{20,}                           GL
vault-token         s.                          [A-Za-z0-9]{24}(?![\w.(-])           GL
terraform-token     ....atlasv1.                [A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,} GL
doppler-token       dp.pt.,dp.st.,dp.ct.,dp.sa.,dp.scim.,dp.audit. [\w.-]{24,}                          GL
infisical-token     st.                         [0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32} D
1password-token     ops_eyJ                     [\w+/=-]{40,}                        GL
1password-key       A3-                         [A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}  GL
tailscale-key       tskey-                      [a-z]+-[\w-]{16,}                    D
netbird-token       nbp_                        [A-Za-z0-9]{30,}                     U
defined-key         dnkey-                      [\w=-]{26}-[\w=-]{40,}               GL
ngrok-token  -  (?:[12][A-Za-z0-9]{26}_[A-Za-z0-9]{20,25}|(?:ak|cr)_[12][A-Za-z0-9]{26})(?!\w)  U
openshift-token     sha256~                     [\w-]{40,}                           GL
rancher-token       token-                      [a-z0-9]{5}:[a-z0-9]{50,}            D
k3s-token           K10                         [0-9a-f]{64}::\w+:[\w.-]{16,}        D
swarm-token         SWMTKN-1-                   [a-z0-9]{40,}-[a-z0-9]{20,}          D
slack-token         xoxa,xoxb,xoxc,xoxe,xoxo,xoxp,xoxr,xoxs (?:\.xox[abp])?-[A-Za-z0-9+/-]{10,}  GL
slack-token         xoxd-                       [\w%+/=-]{20,}                       BL
slack-token         xapp-,xwfp-                 [A-Za-z0-9-]{16,}                    GL
telegram-token      -                           \d{8,10}:(?:A[\w-]{30,}|[\w-]{35}(?![\w-])) GL
discord-token       -                           [MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-]) U
facebook-token      EAA                         [A-Za-z0-9]{80,}                     GL
instagram-token     IGQV,IGQW,IGAA              [\w-]{60,}                           D
threads-token       THQW,THAA                   [\w-]{60,}                           U
twitter-token       AAAAAAAAAAAAAAAAAAAAA       A?(?!A{6})[A-Za-z0-9%]{40,}          GL
linkedin-secret     WPL_AP1.                    [A-Za-z0-9]{16}\.[\w=+/]{6,}         U
twitch-token        oauth:                      [a-z0-9]{30}(?!\w)                   D
tiktok-token        act.                        [A-Za-z0-9!.*-]{60,}                 U
lichess-token       lip_                        [A-Za-z0-9]{16,}                     D
stripe-key          sk_live_,rk_live_,sk_test_,rk_test_,sk_prod_ [A-Za-z0-9]{10,}                     GL
stripe-key          sk_org_live_,sk_org_test_,ek_live_ [A-Za-z0-9]{10,}                     D
webhook-secret      whsec_                      [A-Za-z0-9+/=_-]{20,}                D
square-token        sq0atp-,sq0csp-,sq0idp-     [\w-]{20,}                           GL
square-token        EAAA                        [\w-]{40,64}(?![\w+/=-])             GL
paypal-token        access_token$production$,access_token$sandbox$ [0-9a-z]{16}\$[0-9a-f]{32}           D
paypal-token        A21AA                       [\w-]{70,}                           U
adyen-key           AQE                         (?!DAH)[a-zA-Z0-9]{2}[\w+/=*.-]{60,} D
paddle-key          pdl_live_,pdl_sdbx_,pdl_ntfset_ \w{24,}                              D
polar-token         polar_oat_,polar_pat_,polar_whs_ [\w-]{24,}                           D
klarna-key          klarna_live_api_,klarna_test_api_ [\w=+/-]{24,}                        D
razorpay-key        rzp_live_,rzp_test_         [A-Za-z0-9]{14,}                     D
xendit-key          xnd_production_,xnd_development_ [A-Za-z0-9]{24,}                     D
midtrans-key        Mid-server-                 [\w-]{16,}                           D
mercadopago-token   APP_USR-                    \d{10,}-\d{6}-[\w-]{30,}             D
asaas-key           $aact_                      [\w:=+/-]{40,}                       BL
plaid-token  access-production-,access-development-,access-sandbox-  [0-9a-f-]{32,}  GL
flutterwave-key     FLWSECK_TEST-,FLWSECK-      [0-9A-Za-z]{12,}(?:-X)?              GL
shippo-token        shippo_live_,shippo_test_   [0-9a-fA-F]{32,}                     GL
easypost-key        EZAK,EZTK                   [A-Za-z0-9]{40,}                     GL
duffel-token        duffel_live_,duffel_test_   [\w=-]{30,}                          GL
live-key            live_,test_                 [A-Za-z0-9]{30,}                     GL
shopify-token       shpat_,shpca_,shppa_,shpss_,shpua_,shprt_ [0-9a-zA-Z]{24,}                     GL
sendgrid-key        SG.                         [\w-]{16,200}\.[\w-]{16,}            GL
brevo-key           xkeysib-,xsmtpsib-          [0-9a-f]{40,}-[A-Za-z0-9]{12,}       GL
resend-key          re_                         [A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}   D
resend-key          re_                         [A-Za-z0-9]{24,}                     U
mailgun-key         key-                        [0-9a-f]{32}(?![0-9a-f])             GL
mailgun-key         -                           [0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-]) GL
rapidapi-key        ...jsn                      [0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{6}jsn[0-9a-f]{12} U
deepl-key           ...:fx                      [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx(?!\w) D
convex-key          ...|ey                      (?:prod|dev|preview):[\w:-]{1,80}\|ey[\w+/-]{30,}={0,2} D
sanity-token        sk                          [A-Za-z0-9]{120,200}(?!\w)           U
mailchimp-key       ...-us                      [0-9a-f]{32}-us\d{1,2}(?!\d)         GL
mandrill-key        md-                         [\w-]{22}(?![\w-])                   U
mailersend-token    mlsn.                       [0-9a-f]{40,}                        D
smtp2go-key         api-                        [0-9A-F]{32}(?!\w)                   D
twilio-key          SK                          [0-9a-f]{32}(?![0-9a-f])             GL
telnyx-key          KEY01                       [0-9A-F]{30,}_[A-Za-z0-9]{16,}       D
onesignal-key       os_v2_app_,os_v2_org_       [a-z0-9]{40,}                        D
firebase-key        AAAA                        [\w-]{7}:APA91b[\w-]{60,}            D
ably-key            -                           (?<![\w.-])[\w-]{6}\.[\w-]{6}:[\w-]{40,50}(?![\w-]) D
pubnub-key          sec-c-                      [A-Za-z0-9+/-]{32,}                  D
grafana-token       glsa_,glc_                  [\w+/=]{24,}                         GL
grafana-token       eyJrIjoi                    [\w+/=-]{40,}                        GL
sentry-token        sntrys_,sntryu_,sntrya_,sntryi_ [\w+/=]{24,}                         GL
newrelic-key        NRAK-,NRII-,NRIQ-,NRRA-,NRSP-,NRBR-,NRJS- [\w-]{18,}                           GL
newrelic-key        ...NRAL                     [0-9a-f]{32,36}NRAL                  D
datadog-key         ddapp_,ddoa_                [A-Za-z0-9]{24,}                     D
dynatrace-token     dt0                         [a-z]\d\d\.[A-Za-z0-9]{8,24}\.[A-Z0-9]{60,} GL
honeycomb-key  hcaik_,hcalk_,hcaic_,hcamk_,hcbik_,hcxik_,hcxlk_,hcxmk_  [a-z0-9]{26,}  D
posthog-key         phx_,phs_,pha_,phr_         [\w-]{28,}                           BL
axiom-token         xaat-,xapt-                 [0-9a-f-]{32,}                       D
coralogix-key       cxtp_,cxup_                 [A-Za-z0-9]{24,}                     D
pagerduty-token     pdus+_,pdeu+_               \w{4,40}_[\w-]{16,}                  D
launchdarkly-key    api-,sdk-                   [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} D
configcat-key       configcat-sdk-1/            [\w-]{22}/[\w-]{22}                  BL
statsig-key         secret-,console-            [A-Za-z0-9]{36,}                     D
stytch-secret       secret-live-,secret-test-   [\w=-]{24,}                          D
flagsmith-key       ser.                        [A-Za-z0-9]{20,}                     D
unleash-token       ...*:                       \*:[\w-]{1,30}\.[0-9a-f]{48,}        D
checkly-key         cu_                         [0-9a-f]{32}(?!\w)                   U
inngest-key         signkey-prod-,signkey-test-,signkey-branch- [0-9a-f]{24,}                        D
trigger-key         tr_dev_,tr_prod_,tr_stg_,tr_pat_ [A-Za-z0-9]{16,}                     D
linear-key          lin_api_,lin_oauth_,lin_wh_ [A-Za-z0-9]{20,}                     GL
notion-token        ntn_                        [A-Za-z0-9]{40,}                     GL
notion-token        secret_                     [A-Za-z0-9]{43}(?![A-Za-z0-9])       D
airtable-token      pat                         [A-Za-z0-9]{14}\.[0-9a-f]{60,}       BL
figma-token         figd_,figo_,figu_,figor_    [\w-]{20,}                           BL
asana-token         -                           (?<![\w/])\d/\d{12,20}(?:/\d{12,20})?:[0-9a-f]{32} D
clickup-token       pk_                         \d{6,10}_[A-Z0-9]{32}                BL
klaviyo-key         pk_                         [0-9a-f]{34}(?!\w)                   BL
hubspot-token  pat-  [a-z]{2,3}\d-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}  D
salesforce-token    00D                         [A-Za-z0-9]{12,15}![\w.]{60,}        U
intercom-token      dG9rO                       [A-Za-z0-9+/=]{40,}                  D
contentful-token    CFPAT-                      [\w-]{30,}                           D
dropbox-token       sl.                         (?:u\.)?[\w=-]{60,}                  GL
typeform-token      tfp_                        [\w.=-]{32,}                         GL
adobe-secret        p8e-,p8-                    [A-Za-z0-9_-]{30,}                   GL
authress-key  ....acc
  (?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}  GL
frameio-token       fio-u-                      [\w=-]{40,}                          GL
readme-key          rdme_                       [a-z0-9]{40,}                        GL
beamer-token        b_                          [a-zA-Z0-9=_-]{44}(?![\w=-])         GL
canva-secret        cnvca                       [\w-]{40,}                           BL
postman-key         PMAK-,PMAT-                 [0-9A-Za-z-]{24,}                    GL
maxmind-key         ..._mmk                     [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk   GL
settlemint-token    sm_aat_,sm_pat_,sm_sat_     [A-Za-z0-9]{16,}                     GL
intra42-secret      s-s4t2ud-,s-s4t2af-         [0-9a-f]{40,}                        GL
mapbox-token        sk.eyJ,tk.eyJ               [\w-]{20,2000}\.[\w-]{16,}           D
nylas-key           nyk_v0_,nyk_                [A-Za-z0-9]{32,}                     D
retool-token        retool_                     [A-Za-z0-9]{26,}                     D
metabase-key        mb_                         [A-Za-z0-9+/]{40,}={0,2}             D
hex-token           hxtp_                       [A-Za-z0-9]{40,}                     D
tinybird-token      p.eyJ                       [\w-]{20,2000}\.[\w-]{16,}           D
unkey-key           unkey_                      [A-Za-z0-9]{20,}                     D
zuplo-key           zpka_                       \w{24,}                              D
kong-token          kpat_,spat_                 [A-Za-z0-9]{30,}                     D
arcjet-key          ajkey_                      [\w-]{20,}                           D
valtown-token       vtwn_                       [A-Za-z0-9]{20,}                     D
wakatime-key        waka_                       [0-9a-f-]{32,}                       D
ory-token           ory_pat_,ory_at_,ory_st_,ory_rt_,ory_apikey_ [\w.-]{24,}                          D
lob-key             live_pub_,test_pub_         [0-9a-f]{28,}                        GL
age-key             AGE-SECRET-KEY-             (?:1|PQ-1)[0-9A-Z]{20,}              GL
wallet-key          xprv,yprv,zprv,tprv         [1-9A-Za-z]{100,}                    D
nostr-key           nsec1                       [0-9a-z]{50,}                        D
paseto              v1.local.,v2.local.,v3.local.,v4.local. [\w-]{30,}(?:\.[\w-]+)?              D
paseto              v1.public.,v2.public.,v3.public.,v4.public. [\w-]{60,}(?:\.[\w-]+)?              D
minisign-key        RWRT                        [A-Za-z0-9+/]{100,}={0,2}            D
roblox-cookie       _|WARNING:-DO-NOT-SHARE-THIS \S{40,}                              U
"""


def _rows(table: str) -> list[list[str]]:
    return [row.split() for row in table.strip().replace("\n ", " ").splitlines()]


def _issuer(kind: str, column: str, body: str, source: str) -> Issuer:
    if column == "-":
        return Issuer(kind, (), body, source)
    prefixes = tuple(column.split(","))
    if column.startswith("..."):
        inside = tuple(prefix.removeprefix("...") for prefix in prefixes)
        return Issuer(kind, inside, body, source, is_within=True)
    choice = "|".join(re.escape(prefix) for prefix in prefixes)
    return Issuer(kind, prefixes, f"(?:{choice})(?P<body>{body})", source)


ISSUERS = tuple(_issuer(*row) for row in _rows(_KEY_TABLE))

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_URL_TABLE = rf"""
slack-webhook       hooks.slack
    https?://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{{16,}}
discord-webhook     /webhooks/
    https?://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{{10,}}/[\w-]{{20,}}
teams-webhook       .office.com/webhook        https?://[\w.-]+\.office\.com/webhook(?:b2)?/[\w@/-]{{24,}}
teams-webhook       .office365.com/webhook
    https?://[\w.-]+\.office365\.com/webhook(?:b2)?/[\w@/-]{{24,}}
googlechat-webhook  chat.googleapis.com
    https?://chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?[^\s"'`<>]{{24,}}
telegram-token      api.telegram.org
    api\.telegram\.org/(?:file/)?bot(?P<secret>\d{{6,12}}:[\w-]{{20,}})
mattermost-webhook  /hooks/                    https?://[\w.:-]+/hooks/(?P<secret>[a-z0-9]{{26}})(?![\w-])
rocketchat-webhook  /hooks/
    https?://[\w.:-]+/hooks/(?P<secret>[A-Za-z0-9]{{17,24}}/[A-Za-z0-9]{{30,}})
lark-webhook        /open-apis/bot/
    https?://open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{{20,}}
wecom-webhook       qyapi.weixin.qq.com
    qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<secret>[\w-]{{20,}})
dingtalk-webhook    oapi.dingtalk.com
    oapi\.dingtalk\.com/robot/send\?access_token=(?P<secret>[\w-]{{20,}})
zapier-webhook      hooks.zapier.com           https?://hooks\.zapier\.com/hooks/catch/[\w/-]{{8,}}
make-webhook        .make.com/                 https?://hook\.\w+\.make\.com/[\w-]{{16,}}
make-webhook        hook.integromat.com        https?://hook\.integromat\.com/[\w-]{{16,}}
ifttt-webhook       maker.ifttt.com
    maker\.ifttt\.com/(?:trigger/[\w-]+/(?:json/)?with|use)(?:/key)?/(?P<secret>[\w-]{{16,}})
n8n-webhook         /webhook                   https?://[\w.:-]+/webhook(?:-test)?/(?P<secret>{_UUID})
webex-webhook       webexapis.com              https?://webexapis\.com/v1/webhooks/incoming/[\w-]{{40,}}
webhook-site        webhook.site/              https?://webhook\.site/{_UUID}
healthcheck-url     hc-ping.com/               https?://hc-ping\.com/{_UUID}
deploy-hook         api.vercel.com
    https?://api\.vercel\.com/v\d/integrations/deploy/prj_\w+/\w{{8,}}
deploy-hook         /build_hooks/              https?://api\.netlify\.com/build_hooks/[0-9a-f]{{16,}}
deploy-hook         /deploy_hooks/
    https?://api\.cloudflare\.com/client/v4/pages/webhooks/deploy_hooks/{_UUID}
deploy-hook         api.render.com/deploy      api\.render\.com/deploy/srv-\w+\?key=(?P<secret>[\w-]{{8,}})
deploy-hook         /deploy/                   https?://[\w.:-]+/api/v\d/deploy/(?P<secret>{_UUID})
alchemy-key         .alchemy.com/              \.alchemy\.com/(?:nft/)?v\d/(?P<secret>[\w-]{{24,}})
infura-key          .infura.io/                \.infura\.io/(?:ws/)?v\d/(?P<secret>[0-9a-f]{{32}})
quicknode-key       .quiknode.pro/             \.quiknode\.pro/(?P<secret>[0-9a-f]{{32,}})
sumologic-url       sumologic
    collectors[\w.-]*\.sumologic\.com/receiver/v1/http/(?P<secret>[\w=+/-]{{40,}})
loggly-url          loggly.com                 loggly\.com/(?:inputs|bulk)/(?P<secret>{_UUID})
betterstack-url     /heartbeat/
    https?://[\w.]*(?:betteruptime|betterstack)\.com/api/v1/heartbeat/\w{{16,}}
google-calendar     /private-
    calendar\.google\.com/calendar/ical/[^\s/]+/private-(?P<secret>[0-9a-f]{{24,}})
url-signature       X-Amz-
    X-Amz-(?:Signature|Security-Token)=(?P<secret>[\w%+/=-]{{32,}})
url-signature       X-Goog-Signature           X-Goog-Signature=(?P<secret>[0-9a-f]{{64,}})
url-signature       Key-Pair-Id                [?&]Signature=(?P<secret>[\w~-]{{40,}})
url-signature       signature=                 [?&]signature=(?P<secret>[\w%+/=-]{{20,}})
azure-signature     sig=
    sig=(?P<secret>(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{{2}}){{20,}}={{0,2}})
"""
SECRET_URLS = tuple((kind, hint, pattern) for kind, hint, pattern in _rows(_URL_TABLE))
