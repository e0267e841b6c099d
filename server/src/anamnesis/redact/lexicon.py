"""Words of prose and code, which are not secrets. Data.

The lists need not be complete: a missing word causes a false positive only right after the name of a secret.
They leave out what `words` derives from another word: `settings` from "set", `reinstall` from "install".
"""

from __future__ import annotations

_ENGLISH = """
a able about above absent accept access accident accord account accurate achieve across act action active
actual adapt add addition additional address adjust admin advance advice affect after again against age
agent ago agree ahead aim air alert alias align alike alive all allocate allow almost alone along already
also alter although always am ambient amend among amount an analysis analyze anchor and angle animate
annotate annual anonymous another answer any anyone anything anyway anywhere apart api app appear append
apply approve area arg argue argument arise around arrange array arrive art article as ask assert assign
assist assume async at atom attach attack attempt attend attribute audience audio audit auth authentic
authenticate author authorize auto automatic available avoid await aware away back background backup bad
balance band bank bar bare base basic batch be bearer because become been before beg begin behave behind
being believe belong below bench benefit beside best better between beyond big bin binary bind bit bits
black blank blob block blog blue board body bold bool boolean boot border born borrow both bottom bound box
branch brand break bridge brief bright bring broad broken broker brother browse bucket budget buffer bug
build bulk bundle burn burst bus business busy but button buy by byte bytes cache call can cancel candidate
capital capture card care carry case cast catch category cause cell center central cert certain certificate
chain challenge chance change channel char character charge chart chat cheap check checksum child choice
choose chosen chunk cipher circle city claim class clean clear click client clock clone close cloud cluster
code codec coin cold collapse collect color column combine come comma command comment commit common company
compare compile complete complex component compose compress compute con concern conclude condition conf
config configure confirm conflict connect consider consist console constant construct consume contact
contain container content context continue contract contribute control convert cookie copy core corner
correct correspond corrupt cost could count country couple course cover crash crate create critical cron
cross crypt crypto csrf cup current cursor custom cut cwd cycle daemon daily damage danger dark dash
dashboard data database date day db dead deal debug decide declare decline decode dedicate deep default
defer define degree delay delegate delete deliver demand demo deny deploy deprecate derive describe design
desk desktop destroy detach detail detect determine dev develop device diagnose dialog dict dictionary die
diff differ different digest digit dim dir direct direction directory disable discover discuss disk dispatch
display distance distinct distinguish distribute divide do doc document does doesnt dog domain done dont
door double doubt down download draft drag draw drive drop dry due dummy dump duplicate duration during duty
dynamic each early earn ease east easy echo edge edit effect effort eight either elapse elect element else
elsewhere email embed emit employ empty enable encode encrypt end endpoint energy enforce engine english
enough ensure enter entire entitle entity entry enum env environ environment ephemeral equal equip err error
escape essential establish estimate etc eval even event eventual ever every everybody everyone everything
evidence exact examine example exceed except exception exchange exclude exec execute exempt exist exit
expand expect expensive expire expiry explain explicit explore export expose express extend extension extern
external extra extract face fact factor factory fail fake fall false familiar family far fast favor feature
feed feel fetch few field fifth fight figure file fill filter final find fine finger finish fire firm first
fish fit five fix fixture flag flat flight float flood floor flow flush fly focus folder follow font food
foot for force foreign forget forgot fork form formal format former forth forward found four frame framework
free frequent fresh friend from front full fun func function further fuse future gain game gap garbage gate
gateway gather gave general generate generic get getcwd getter give given glad glass global go goal god gold
gone good got govern grab grade grain grammar grant graph gray great green grep ground group grow guarantee
guard guess guest guide had half halt hand handle handshake hang happen happy hard hardcode has hash have he
head header health hear heart heartbeat heat heavy height held hello help hence her here hex hidden hide
high hint his history hit hold home honor hook hope host hot hour house how however http https huge human
hundred icon id idea identical identify identity idle if ignore image imagine immediate impact implement
implicit imply import important in include increase increment indeed indent index indicate individual
industry infer info inform inherit init initial inject inline inner input insert inside insist inspect
instance instant instead int integer integrate intend inter interest intern internal internet interpret
interrupt interval into introduce invite invoke io ip is isnt issue it item iter iterate its itself job join
joint json judge jump just keep kernel keyboard keychain keyring keystore kid kill kind king know label lack
lambda land language large last late latency later latest launch law lay layer layout lazy lead leaf leak
lean learn lease least leave left legacy legal len length less let letter level lexer lib library license
lie life lifetime lift light like limit line link list listen literal little live load local locale locate
lock log logger logic login logout long look lookup loop lose loss lost lot low lower luck mac machine mail
mailbox main maintain major make maker man manage manifest manual many map margin mark market mask massive
master match material matter max may maybe me mean meaning meant measure media medium meet member memory
mention menu merge mesh message meta method metric middle middleware might migrate mile min mind minimal
minimum minor minus minute mirror miss mix mock mode model modern modify module moment money monitor month
more morning most mother mount mouse move much multi multiple music must mutable mute mutual my myself naive
name namespace narrow nation native natural nature navigate near need negative neither nest net network
never new news next nice night nine no nobody node noise nonce none nor normal normalize north not note
nothing notice notify now null number numeric oauth obey object obscure observe obtain obvious occur odd of
off offer office official offline offset often ok okay old omit on once one online only onto opaque open
operate opinion opt option optional or order ordinary organization origin original other otherwise our out
outer output outside over overall override own owner pack package packet pad page pair panel paper para
paragraph parallel param parameter parent parse part partial participant particular partition partner party
passive past paste patch path pattern pause pay payload payment peer pend people per percent perfect perform
perhaps period permanent permission permit persist person personal phase phone phrase physical pick piece
pin ping pipe pipeline place plain plan plane plant platform play please plugin plus point pointer policy
poll pool poor pop popular port portal position positive possess possible post potential power practice pre
precede precise predict prefer prefix prepare presence present press pretty prevent previous price primary
prime principal print prior priority private privilege pro probable probe problem procedure proceed process
produce product profile program progress project promise prompt proof proper property proposal propose
protect protocol prove provide provision proxy public publish pull pulse pure purge purpose push put python
quality quantity query question queue quick quiet quite quota quote race radio raise random range rank rapid
rare rate rather ratio raw reach react read reader ready real realm reason receive recent recipe recognize
recommend record recur red redirect reduce refer reference reflect refresh region register registry regular
reject relate relative release relevant reload rely remark remote remove rename render renew repeat replace
reply repo report repository represent request require reserve reset resist resolve resource respect respond
response rest restore restrict result resume retain retire retrieve retry reuse reveal reverse review revise
revoke reward rewrite rich ride right ring rise risk role roll rollback room root rotate rough round route
row rule run runner runtime rust safe said sake sale salt same sample sandbox satisfy save say scale scan
scenario schedule schema scheme scope score scrape scratch screen script scroll sdk search second section
secure security see seed seek seem seen segment select self sell semantic send sender sense sensitive sent
sentence separate sequence serial serialize series serious serve server service session set setter settle
setup seven several severe shadow shall shape share shared she sheet shell shift ship shop short should show
shut side sign signal signature signin signup silent similar simple since single site situation six size
skip sleep slice slight slot slow small smart smooth snapshot snippet so social socket soft software solid
solution solve some somebody someone something sometimes somewhere son soon sort sound source south space
span spare spawn speak spec special specific specify speed spell spend split spread spring sql square ssh
ssl stable stack staff stage stale stand standard star start startup state static stats status stay std
steal stem step stick still stop storage store story str straight strategy stream street strength stretch
strict string strip strong struct structure student study stuff style sub subject submit subscribe subset
succeed success such sudden suffice sufficient suffix suggest suit suite sum summary super supply support
suppose sure surface surround suspect suspend sweep switch symbol sync syntax synthetic sys system tab table
tag take talk target task teach team technical tell temp template temporary tenant tend term terminal
terminate terms test text than thank that the their them themselves then theory there therefore these they
thing think third this those though thought thousand thread three threshold through throughout throw thumb
thus ticket tie tight time timeout timestamp tiny tip title tls to today together told tomorrow tonight too
took tool toolbar tooltip top topic total touch toward town trace track trade tradition traffic trail train
transaction transfer transform transit translate transparent transport trap travel tree trick trigger trim
trip trouble true truncate trust truth try tuple turn twelve twice two type typical ui undefined under
understand unique unit universal unix unknown unset until up update upgrade upload upon upper upstream url
usage use used useful user username usual utc util utility uuid vacuum valid validate value var variable
variant variety various vary vault vector vendor verb verbose verify version vertical very via video view
violate virtual visible vision visit visual void volume vote vulnerable wait walk wall want warn was wash
watch water way we weak wear weather web webhook website week weight well went were west what whatever when
whenever where whereas wherever whether which while white who whoever whole whom whose why wide width wifi
wild will willing win window wipe wire wise wish with within without woman wonder wont wood word work
workflow workspace world worry worse worst worth would wrap write wrong xml yaml year yellow yes yesterday
yet yield you young your yourself zero zip zone
"""

# What sentences say about a token or a key: "is encountered", "was overridden".
_SAID_OF_IT = """
abbreviate abort accompany accumulate acknowledge acquire activate adjacent advertise aggregate alternate
ambiguous analogous announce annoy anticipate applicable appreciate approximate ascend associate
asynchronous augment automate broadcast calculate clarify classify coerce commute compatible compliant
complicate comprehensive compromise concatenate concurrent confidential conform confuse consecutive
conservative consistent constrain contiguous continuous convenient converge cumulative customize dangerous
dangle decorate decrease deduce dependent descend designate desirable deteriorate discourage downgrade
efficient elaborate eliminate enclose encounter encourage enhance equivalent escalate evaluate exclusive
exhaust expedite exploit facilitate feasible finalize flexible forbid forbidden forgotten fragment fulfill
furnish garble generalize harmless highlight hijack illegible imminent impersonate incident inclusive
incorporate incur inhibit initialize initiate inspire install instantiate intercept intermittent interpolate
invert involve irrelevant irrevocable isolate juggle malicious mandatory mangle miscellaneous mitigate
multiply neglect negotiate nonexistent obfuscate obsolete optimize orient orphan outgoing overlap overridden
overwritten parametrize permissive persistent pertain populate prevail primitive prohibit prominent
propagate qualify quarantine recipient recursive redundant regard reinstate reliable relinquish reluctant
rewritten scatter shrink significant simplify sniff specialize spurious standardize stolen subsequent
substitute suppress surprise surrender swallow swap synthesize tamper tentative tolerate transmit traverse
treat undergo underlying undo unusable unveil vanish vectorize withdraw withdrawn withheld withhold
"""

# Algorithms, products, file formats, and names that libraries use.
_TRADE = """
access_log accessor acl adfs aes airflow alibaba allowlist amazon analytics android angular ansible
anthropic apache apollo apple arch argon argparse args arn artifactory asana asgi askpass atlassian attr
authn authz aws azure babel backend backoff backtick baseline basename bash bcrypt bedrock bigint bigquery
bitbucket bitwarden blockchain blocklist boilerplate bootstrap bos boto bpe breakpoint bson btn buildkite
builtin bun bytearray bytecode callback calloc camel canonical cardinality cargo cassandra cdn celery cfg
charset checkbox chmod chrome chromium ciphertext circleci classmethod classname claude cleartext cli
clickhouse clob closure cloudflare cloudfront cls cmd cobol codebase codecov coffee cognito colab collation
concat concurrency conda configmap confluence const consul copilot coroutine cors cpp crlf crud csp css csv
ctrl ctx curl curve cutoff cypress dart dashlane dataclass datadog dataframe dataset datetime dbname
deadline deadlock debian debounce decimal deepseek defaultdict deno dependency deque devops dhcp
digitalocean dirname discord distro django dns docker dockerfile docstring dom dotenv downstream dropdown
dto dtype dynamo dynamodb ec ecdsa ecs ed eks elastic elasticsearch electron elixir elk elliptic emoji endif
entra enumerate envelope envvar eof eos epoch erlang eslint etcd ethereum excel expo failover fallback
fargate fastapi fastmcp favicon fernet ffmpeg figma filename fileno finetune fips firebase firefox firewall
flake flask flatten flutter fmt foo forge formdata frontend ftp gcloud gcm gcp gemini getattr getenv getpass
git gitea github gitlab gmail gnome gnupg golang google gpg gpt gpu gradle grafana grantee graphql greeting
grok groq grpc gson gunicorn guzzle gzip haproxy hashable hashicorp hashpw haskell hdr helm heredoc heroku
heuristic hexdigest hkdf hmac homebrew hostname hpkp hsm htaccess html htpasswd hubspot hugging hydrate
icloud ide idempotent ident idp ietf iframe imap impl inference infra ini inode insomnia instagram
instanceof ios ipc ipv iso iterable jasypt java javascript jenkins jest jetbrains jinja jira jitter jks
jquery js jsonb jsp jwe jwk jwt kafka kanban kdf keepalive keepass kerberos keycloak keypair keytab keyvault
keyword kibana kms kotlin ksh kube kubeconfig kubectl kubernetes kwargs laravel lastpass latex ldap ldaps
libpq lifecycle lint linux llama llm lnk loc localhost localized localstorage lockfile logfile logit
lookahead lora lowercase lua luks lxc macos macro magento mailchimp mailgun makefile malformed malloc mapper
mariadb markdown marshal mastodon matplotlib maven mcp md memcached memoize mfa millisecond mime minify
minio mistral mongo mongodb monorepo moodle mqtt msg mtls mutation mutex mypy mysql newline nginx ngrok
nodejs nomad noop notion npm npmjs npmrc nuget nullable numpy nvarchar nvidia nvm observable octet odbc odoo
oidc okta ollama onboard onclick opcode openai openapi openid openshift openssh openssl openvpn oracle orm
osx otp pager paginator pandas parens parquet pascal passlib passthrough pat pbkdf pdf pem pep perl
persistence pfx pg pgbouncer pgpass php pickle pid pinecone pip pipenv pixel pkce pkcs pkg placeholder
plaintext playbook playwright plist pnpm podman poetry polyfill popen popup postfix postgres postgresql
postman powershell prettier prisma prod prometheus proto protobuf pst psycopg pub pubkey pubsub pulumi
punctuation pydantic pypi pypirc pytest qdrant qr quarkus queryset quickstart rabbitmq rails ram rbac rdbms
readable readme readonly readthedocs rebase recaptcha recoverable recursion redacted redis redux regex
regexp regression repl replica replicate repr req res retention retval rfc rmi rollout rope roundcube
roundtrip rpc rpm rsa rss rst ruby rustup saas salesforce saml sanitize sas scaffold scala scalar scram
scrollbar scrypt scss secp sed selenium sendgrid sentinel sentry sep serde sftp sha shopify sid sidecar
signed singleton sinon skopeo slack slug smtp snake snowflake sns soap solr sonar sonarqube sourcegraph
spinner spotify sqlalchemy sqlite sqs squid src ssd sse ssid ssm sso stacktrace standalone starlette
stateful stderr stdin stdlib stdout sticky strcmp stripe stub subclass subkey subnet sudo supabase superuser
supervisord svelte svg svn swagger swarm swift symlink synchronous synonym sysadmin systemd tailscale tar
tarball tcp telegram telemetry tensor terraform textarea tflint tgt throttle timescale timezone tmp tmpl
tmux tokenize toml toolchain totp traceback traefik transient traversal trello trino truthy tsx ttl tunnel
twilio twitter txn txt typecheck typedef typescript ubuntu udp uid uint ulid unicode uniform unittest unk
unreachable uppercase upsert upstash uptime urandom uri urlencode urlopen usb uvicorn vagrant varchar
varname vercel verifier viewport vim virtualenv vite vm vmware vocab vpn vscode vue wakeup watermark
webauthn webdav webpack websocket wget whitelist whitespace widget wildcard windows wireguard wordpress
workaround workbook worktree writable wsgi www xhr xlsx xsrf xss yahoo yarn youtrack youtube yubikey zapier
zendesk zig zipfile zookeeper zsh
"""

# Other languages: what often follows "the password is", and the short words of a sentence.
_OTHER_LANGUAGES = """
aber abgelaufen abgelegt actualizada actualizado aggiornata aggiornato aktualisiert aktualny al ale alle
almacena almacenada almacenado als altijd anche anfordern armazenada armazenado atualizada atualizado auch
auf aus ausgegeben aussi avec bei beim bekannt benutzt bez bezpieczne bien bij bijgewerkt bitte bledne
caduca caducada caducado caracteres caratteri che chi chiffre cifrada cifrata clave com como contrasena
correcta correcte correcto correta correto corretta corretto corta court creada creado creata creato criada
criado criptografada cuando curta dan dann dans darf das dass dat de debe debil debole defini dein deja dem
den der des deve deze diese dieser dieses dimenticata dit dla dlugie doit donc donde dort dove du een ein
eine einem einen einer eingeben eingegeben el en encore encuentra enregistre entrer enviada enviado envoye
envoyee era erforderlich erneuert errata errato erstellt erzeugt es esquecida est esta este estos et etait
expira expirada expiree expirou faible falsch fica findet foi fort forte fra fraca fue fuerte gdy gebruikt
gegenereerd gehasht geheim geldig gelesen gelijk gemaakt generada generado generata generato genere generee
gerada gerado gesendet gesetzt gespeichert gesperrt geändert gilt gleich gli guardada guardado gültig haslo
heslo het hier hinterlegt höchstens ich ici identique identisch igual ihr ihre il immer incorrecta
incorrecte incorrecto incorreta incorreto ingetrokken invalida invalide invalido inviata inviato ist ja jak
jamais jede jeder jedes jelszo jeszcze jetzt jouw juz kan kann kennwort korrekt kort krotkie kurz la lang
larga las le leeg leer leida leider leido les letta letto leur lida lido liegt lo longa los losenord lu lub
lunga läuft ma maar mai mais mal mas maximum mdp mein meine memorizzata memorizzato meno menos mes met meu
mi mijn mindestens minha mit moet moins moje mon mot mozna muito musi muss muy naar nach nao nasze necesaria
necesario necesita necessaria nel nella nicht nie nieprawidlowe niet niewazne nigdy noch nodig nog non nooit
nos nossa nosso nostro notre notwendig nuestra nuestro nunca nur o obbligatoria obligatoire obligatoria
obligatorio obrigatoria obrigatorio od oder odnowione odnowiony ohne olvidada onde ongeldig onjuist onze ook
opgeslagen oraz os ou oublie palabra par parola partage pas passwort pero peut piu pode poprawne por
potrzebne pour przy puede puo puste quando que qui quoi rafraichi renouvele renouvelee renovada renovado
requerida requerido requis requise revocada revocado revocata revocato revogada revogado revoque revoquee
richiesta richtig rinnovata rinnovato saisir salasana salva salvata salvato salvo sans sao scade scaduta
scaduto schon schwach se secreta segreta segura sem sempre senha senza sera seu sich sicher sicura sie siehe
siempre sifre silne sin sind slabe soll sono sont sous staat stark steht sterk stocke stockee su sua sul sur
sus ta tajne tak tambem tambien te tekens ten tez tiene ton toujours tra tres trop trouve tu tua tuo twoje
uguale uit um uma un una unbekannt und une ungültig unikalna unikalne unikalny uno unos unser unsere
unsicher usada usado usata usato utilise utilisee uw vacia vacio valida valide valido van vazia vazio vedi
veilig veja ver vereist vergessen vergeten verkeerd verlopen vernieuwd verplicht verschlüsselt versleuteld
verwendet verzonden veuillez vide viene voir vom von voor vor vos votre vuota vuoto wachtwoord war waren
wazna wazne wazny weil wenn werden widerrufen wir wird worden wordt wurde wurden wygaslo wygenerowane
wygenerowany wymagane ya z zapisane zapisany zapomniane zaszyfrowane zawsze zeichen zie zijn znakow zonder
zum zur zurückgesetzt zwak zwischen
"""

# Words that name a secret, but are not one.
_SECRETS = """
password passwd passphrase passcode passkey pwd pass pw secret token key keys apikey credential cred
"""

# Names with digits.
_TECHNICAL = """
128bit 1password 2048bit 256bit 2fa 32bit 4096bit 64bit a11y aes128 aes192 aes256 argon2 argon2d argon2i
argon2id auth0 base32 base36 base58 base62 base64 base85 blake2 blake2b blake2s blake3 boto3 bytes16 bytes32
c3p0 curve25519 d3 e2e ec2 ed25519 ed448 es2020 es256 es384 es512 es6 float16 float32 float64 gpt2 gpt3 gpt4
gpt5 h264 h265 hs256 hs384 hs512 http1 http2 http3 httpx2 i18n int16 int32 int64 int8 ipv4 ipv6 k3s k8s l10n
log4j md4 md5 md5sum mp3 mp4 neo4j oauth1 oauth2 oauth2client p12 p256 p384 p521 pbkdf2 pkcs1 pkcs11 pkcs12
pkcs7 pkcs8 ps256 ps384 ps512 psycopg2 python2 python3 rs256 rs384 rs512 rsa2048 rsa3072 rsa4096 s3
secp256k1 secp256r1 sha1 sha1sum sha2 sha224 sha256 sha256sum sha3 sha384 sha512 uint16 uint32 uint64 uint8
urllib3 utf utf16 utf32 utf8 utf8mb3 utf8mb4 v1 v2 v3 v4 v5 v6 v7 v8 v9 web3 win32 x25519 x509
"""

# Words that take endings: "store", "stores", "stored".
INFLECTED = frozenset(f"{_ENGLISH} {_SAID_OF_IT} {_TRADE} {_SECRETS}".split())
WORDS = INFLECTED | frozenset(_OTHER_LANGUAGES.split())
TECHNICAL = frozenset(_TECHNICAL.split())
