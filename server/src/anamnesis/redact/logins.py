"""Credentials in headers, addresses, commands, files, protocols and sentences about a login. Data.

A row has the kind, the judge of its matches (see `judges`), and the hints, separated by `|`; the expression
follows on indented lines. Its group `secret`, if there is one, is removed. A name in capitals, such as
`{QUOTE}`, is one of the parts below; `{HINT}` is any of the row's hints.
"""

from __future__ import annotations

LOGIN_PARTS = {
    "QUOTE": r"\\{0,7}[\"'`]?",
    "OPEN": r"\\{0,7}[\"'`]",
    "COMMA": r"\s{0,2},\s{0,4}",
    "TEXT": r"{OPEN}[^\"'`\n\\]{1,100}{OPEN}",
    "GAP": r"[ \t]{0,4}",
    "REST": r"[^\n|;]{0,200}?",  # of a command, up to the option
    # A command, continued on the next line after a backslash.
    "LINE": r"(?:[^\n\\|;]|\\\r?\n|\\[^\n]){0,2000}",
    "SPACE": r"(?:[ \t]|\\\r?\n){1,4}",
    "SECOND_ARGUMENT": r"{SPACE}(?:-\S+{SPACE}){0,4}[\w.:/][\w.:/-]{0,100}{SPACE}"
    r"{QUOTE}(?P<secret>[^\s\"'`|;-][^\s\"'`|;]{3,2000})",
    "PUT_SECRET": "aws secretsmanager put-secret-value",
    "ARGUMENT": r"{QUOTE}(?P<secret>[^\s\"'`\\|]{4,300})",
    "USER": r"{QUOTE}(?P<user>[\w.@+-]{1,60}){QUOTE}",
    "COOKIES": r"(?P<secret>{COOKIE}(?:;[ ]?{COOKIE}){0,40})",
    "COOKIE": r"[\w.$-]{1,60}=[^\s;\"'`<>\\]{0,4000}",
    "SESSION": r"[\w-]{0,20}(?:sess|auth|sid|token|jwt|login)[\w-]{0,20}",
    "CREDENTIALS": "PasswordAuthentication(|NetworkCredential(|UsernamePasswordCredentials(|.credentials(",
    "MYSQL": "mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mariadb|mariadb-dump|mycli",
    "MAKE_USER": "createuser(|create_user(|create_superuser(|registeruser(|register_user(|adduser(|add_user(",
    "SNMP": "snmpget|snmpgetnext|snmpwalk|snmpset|snmpbulkwalk|snmpbulkget|snmptable",
    # Commands that read a secret from a pipe.
    "READER": r"(?:docker|podman|buildah|nerdctl|helm registry|oras) login\b[^\n|;]{0,200}-stdin"
    r"|gh auth login\b[^\n|;]{0,100}--with-token|gh secret set|wrangler secret put|vercel env add"
    r"|(?:docker|podman) secret create|gcloud secrets (?:create|versions add)",
    "READ": "-stdin|--with-token|secret set|secret put|secret create|secrets create|versions add|env add",
    # Commands that print a secret.
    "PRINTER": "openssl rand|pwgen|gh auth token|auth print-access-token|auth print-identity-token|pass show"
    "|op read|bw get password|cat /run/secrets/|initial-password|kubectl get secret|get-login-password"
    "|versions access|get-secret-value|vault kv get -field|security find-generic-password|token_hex("
    '|token_urlsafe(|printenv |echo $|echo "$',
    # In a sentence: phrases for logging in, what comes between them and the user, and the password.
    "LOG_IN": "log in|log into|login|logged in|logged into|logging in|sign in|signed in|ssh|connect"
    "|authenticate|melde dich|einloggen|logge|logg dich|anmelden|angemeldet|connecte|identifie|inicia sesión"
    "|entra|entre |conecta|accedi|collega|inlog|log je|zaloguj|połącz|войди|зайди|подключ|залогин"
    "|登录|登入|ログイン|로그인",
    "AS": "with|as|using|via|mit|als|avec|comme|con|como|com|come|met|z|jako|с|как|by",
    "AND": "with|using|and|mit|und|avec|et|con|y|com|e|met|en|z|i|с|и",
    "LOGIN": "login|credential|creds|account|basic auth|zugangsdaten|anmeldedaten|identifiants|credenciales"
    "|credenciais|credenziali|inloggegevens|логин",
    "IS": r"s?(?:[ ](?:for|to|on|für|pour|para|per|voor)[ ](?:the[ ])?[\w.-]{1,40})?"
    r"(?:[ ](?:is|are|was|ist|sind|lauten|est|sont|es|son|são|sono|zijn):?|:)[ ]",
    "TOLD_USER": r"[\"'`]?(?P<user>[\w.+-]{1,40})[\"'`]?",
    "TOLD": r"[\"'`]?(?P<secret>(?!\[redacted)[^\s\"'`\\:]{5,79}[^\s\"'`\\:.,;!?)])(?!:)",
    "SEED": r"(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}",
    # A key block as in a file, in JSON (`\n`), in JSON within JSON, quoted (`> `) or with line numbers; it
    # may be truncated.
    "BREAK": r"(?:[\s>+|→]|\\{1,8}[nrt]|\d{1,6}(?=[\t→\\]))",
    "KEY_LINE": r"[A-Za-z0-9+/=]{16,}",
    "KEY_LINES": r"{BREAK}{0,40}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Subject)[^\n\\]{0,200}"
    r"(?:\n|\\{1,8}n)[\s>+|]{0,8}){0,5}{KEY_LINE}(?:{BREAK}{1,40}{KEY_LINE}){0,2000}",
    "KEY_END": r"(?:{BREAK}{0,40}[A-Za-z0-9+/=]{0,80}{BREAK}{0,40}(?:=[\w+/]{4}{BREAK}{0,40})?"
    r"-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5})?",
}
LOGIN_TABLE = r"""
# Headers
authorization  no-word  authorization
    (?i){HINT}\\{0,7}["']?\]?\s{0,4}[:=,]\s{0,4}[bf]?{QUOTE}[A-Za-z][\w-]{1,30}
    (?:[ \t]{1,4}|%20|\+)(?:token=)?{QUOTE}(?P<secret>[^\s"'`<>\\{][^\s"'`<>\\]{5,4000})
authorization  no-word  authorization
    (?i){HINT}\\{0,7}["']?\]?\s{0,4}[:=,]\s{0,4}{QUOTE}(?P<secret>[\w.~+/=:-]{10,4000})
bearer-token  no-word  bearer
    (?i){HINT}[ \t]{1,4}(?P<secret>[\w.~+/=-]{10,4000})
basic-login  base64-login  basic
    (?i){HINT}\s{1,4}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})(?![\w+/=])
cookie  session  cookie
    (?i){HINT}\\{0,7}["']?\s?[:=]\s{0,4}\\{0,7}["']?{COOKIES}
cookie  session  curl
    {HINT}\b{REST}\s(?:-b|--cookie)[ =]?{QUOTE}{COOKIES}
cookie  no-word  cookies
    (?i){HINT}\s{0,2}[=:]\s{0,2}\{[^{}\n]{0,400}?["']{SESSION}\\{0,7}["']\s{0,2}:\s{0,2}\\{0,7}["']
    (?P<secret>[^\s"'\\]{8,4000})

# Addresses; a slash, `?` or `#` in a password should be escaped, and often is not.
url-password  login  ://
    {HINT}(?P<user>[^\s:/?#@"'`<>\\]{0,100}):(?P<secret>[^\s/?#"'`<>\\]{1,200})@(?=[\w.\[$%{-])
url-password  slashed  ://
    {HINT}(?P<user>[\w.+-]{0,100}):(?P<secret>[^\s/?#"'`<>\\]{0,100}[/?#][^\s"'`<>\\]{0,200})@(?=[\w.\[$%{-])
url-token  random  ://
    {HINT}(?P<secret>[\w-]{16,200})(?::x-oauth-basic)?@(?=[\w.-])
login-password  login  jdbc:oracle|sqlplus
    (?:jdbc:oracle:\w{1,8}:|sqlplus\s{1,4}(?:-\w{1,4}\s{1,4}){0,3})(?P<user>[\w.$-]{1,60})/
    (?P<secret>[^\s@"']{3,100})@
# `?key=...`: a name that says little, so the value must look random
url-token  random  ?key=|&key=|?appid=|&appid=|?code=|&code=
    {HINT}(?P<secret>[\w.~%+/=-]{16,400})
# Go's drivers: `app:...@tcp(db:3306)/shop`
url-password  value  @tcp|@unix(|@udp(
    (?P<user>[\w.$-]{1,60}):(?P<secret>[^\s"'`<>]{1,200})@(?:tcp[46]?|unix|udp)\(

# Calls: `login("bob", "...")`, `smtp.login(user, "...")`, `create_user("bob", "bob@acme.io", "...")`
login-password  password  .auth(|login(|log_in(|signin(|sign_in(|signup(|sign_up(|authenticate(|{MAKE_USER}
    (?i){HINT}\s{0,4}(?:{TEXT}|[\w.]{1,60}){COMMA}(?:{TEXT}{COMMA})?
    {OPEN}(?P<secret>[^\s"'`\\]{6,200})(?={OPEN})
# `connect("localhost", "bob", "...")`, `new PDO($dsn, "bob", "...")`
login-password  odd  connect(
    (?i){HINT}\s{0,4}(?:{TEXT}|[\w$.]{1,60}){COMMA}{TEXT}{COMMA}{OPEN}(?P<secret>[^\s"'`\\]{6,200})(?={OPEN})
login-password  password  mysqli(|mysqli_connect(|pdo(|getconnection(
    (?i){HINT}\s{0,4}(?:{TEXT}|[\w$.]{1,60}){COMMA}{TEXT}{COMMA}{OPEN}(?P<secret>[^\s"'`\\]{6,200})(?={OPEN})
login-password  login  auth=(|auth = (|asicAuth(|asic_auth(|.login(|{CREDENTIALS}
    (?:\bauth\s{0,2}=\s{0,2}|\w{0,20}[Bb]asic_?[Aa]uth|\.login|PasswordAuthentication|NetworkCredential
    |UsernamePasswordCredentials|\.credentials)
    \(\s{0,4}\\{0,7}["'](?P<user>[^"'\n\\]{1,100})\\{0,7}["']{COMMA}\\{0,7}["'](?P<secret>[^"'\n\\]{4,200})

# `jwt.sign(payload, "...")`, `createHmac("sha256", "...")`, `hmac.new(b"...", text)`, `bearer_auth("...")`
secret  password  jwt.sign(|jwt.verify(|jwt.encode(|jwt.decode(|createhmac(|hash_hmac(
    (?i){HINT}\s{0,4}[^\n]{1,120}?,\s{0,4}[bf]?{OPEN}(?P<secret>[^\s"'`\\]{8,400})(?={OPEN})
secret  password  hmac.new(|bearer_auth(|bearerauth(|bcrypt.hash(|hashpw(|hash_password(|password_hash(
    (?i){HINT}\s{0,4}[bf]?{OPEN}(?P<secret>[^\s"'`\\]{8,400})(?={OPEN})

# Commands
login-password  argument  {MYSQL}|7z|7za|rar|unrar
    {HINT}\b{REST}\s-p{ARGUMENT}
login-password  argument  sshpass|psexec|cqlsh|mongo|mongosh|mongodump|mongorestore|twine|pscp|plink
    {HINT}\b{REST}\s-(?:p|pw) {0,2}{ARGUMENT}
login-password  argument  docker|podman|buildah|skopeo|nerdctl|az|oc|helm|oras
    {HINT}\b\s[^\n|;]{0,60}?login\b{REST}\s(?:-p|--password)[ =]{ARGUMENT}
login-password  argument  mosquitto_pub|mosquitto_sub|zip|unzip|sqlcmd|bcp|ipmitool
    {HINT}\b{REST}\s-P {0,2}{ARGUMENT}
login-password  argument  redis-cli
    {HINT}\b{REST}\s-a {1,2}{ARGUMENT}
login-password  argument  ldapsearch|ldapmodify|ldapadd|ldapwhoami|ldapdelete|ldappasswd
    {HINT}\b{REST}\s-w {0,2}{ARGUMENT}
login-password  argument  openssl
    {HINT}\b{REST}\s(?:-k|-pass(?:in|out)? pass:) ?{ARGUMENT}
login-password  argument  security
    {HINT}\b\s(?:add|set)-[a-z-]{0,30}password\b{REST}\s-w {1,2}{ARGUMENT}
login-password  argument  wpa_passphrase
    {HINT}\b\s{QUOTE}[^\s"'`]{1,40}{QUOTE}\s{1,4}{ARGUMENT}
login-password  argument  ssh-keygen
    {HINT}\b{REST}\s-[NP] {1,2}{ARGUMENT}
login-password  argument  xfreerdp|wfreerdp|cmdkey|rdesktop
    {HINT}\b{REST}\s(?:-p|/p:|/pass:) ?{ARGUMENT}
login-password  argument  htpasswd
    {HINT}\b\s-\w{0,6}b\w{0,6}\s(?:-\w{1,6}\s{1,4}){0,3}(?:\S{1,100}\s{1,4})?[\w.@-]{1,60}\s{1,4}{ARGUMENT}
login-password  password  useradd|usermod|adduser
    {HINT}\b{REST}\s(?:-p|--password)[ =]{1,2}{ARGUMENT}
login-password  password  {SNMP}
    {HINT}\b{REST}\s-[cA][ =]{1,2}{ARGUMENT}
login-password  password  {SNMP}
    {HINT}\b{REST}\s-X[ =]{1,2}{ARGUMENT}
login-password  login  -u|--user|--proxy-user|-a
    (?:curl|wget|http|https|httpie|xh|lftp|hey|ab)\b[^\n|;]{0,300}?\s(?:-u|--user|--proxy-user|-U|-a|-A)
    [ =]{0,2}{QUOTE}(?P<user>[^\s:,"'`$]{0,100})[:,](?P<secret>[^\s"'`\\]{3,200})
login-password  value  smbclient|smbmap|rpcclient
    {HINT}\b{REST}\s-U\s{0,2}{QUOTE}[\w.\\-]{1,60}%(?P<secret>[^\s"'`\\]{3,200})
login-password  value  SecureString
    ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?{QUOTE}(?P<secret>[^\s"'`$\\]{4,200})
login-password  no-word  net user
    {HINT}\s{1,4}[\w.-]{1,60}\s{1,4}(?P<secret>[^\s/*][^\s]{3,100})\s
login-password  value  net use
    (?i){HINT}\s[^\n]{0,200}?(?:/user:\S{1,80}\s{1,4}(?P<secret>[^\s/*]\S{3,100}))
login-password  value  net use
    (?i){HINT}\s{1,4}(?:\S{1,3}\s{1,4})?\\{2,4}\S{1,120}\s{1,4}(?P<secret>[^\s/*]\S{3,100})\s{1,4}/user:
token  no-word  vault login|cargo login|snyk auth|authtoken|doctl auth init|cloudflared service install
    (?:vault login|cargo login|snyk auth|ngrok (?:config add-)?authtoken|doctl auth init (?:-t|--access-token)
    |cloudflared service install)[\s=]{1,4}(?P<secret>[\w.=-]{8,1000})
login-password  no-word  rabbitmqctl add_user|rabbitmqctl change_password
    {HINT}\s{1,4}[\w.@-]{1,60}\s{1,4}{ARGUMENT}
login-password  no-word  mc alias set
    {HINT}\s{1,4}[\w-]{1,60}\s{1,4}\S{1,200}\s{1,4}\S{1,60}\s{1,4}{ARGUMENT}
login-password  no-word  with password|with encrypted password|set password
    (?i)(?:with (?:encrypted )?password|set password(?: for [^\n=]{1,80})? ?=?)
    \s{1,4}\\{0,7}["'](?P<secret>[^"'\n\\]{3,200})
login-password  no-word  identified by|identified with
    (?i)identified (?:with [\w'"]{1,60} )?by\s{1,4}(?:password )?{QUOTE}(?P<secret>[^\s"'`\\;]{3,200})
login-password  value  create role|alter role|create user|alter user|create login|alter login
    (?i){HINT}\s[^\n;]{0,200}?\spassword\s{0,4}=?\s{0,4}{OPEN}(?P<secret>[^\s"'`\\]{3,200})
login-password  value  chpasswd|sudo -S|passwd --stdin
    echo\s{1,4}(?:-n\s)?{QUOTE}(?:[\w.-]{1,40}:)?(?P<secret>[^\s"'`:\\|]{4,200}){QUOTE}
    \s{0,4}\|\s{0,4}(?:sudo\s)?(?:-S\s)?{HINT}
login-password  value  {READ}
    (?:echo|printf)\s{1,4}(?:-n\s)?{QUOTE}(?P<secret>[^\s"'`\\]{4,200}){QUOTE}\s{0,4}\|\s{0,4}(?:{READER})
token  value  --with-token
    {HINT}\s{0,4}<<<\s{0,4}{QUOTE}(?P<secret>[^\s"'`\\]{8,300})
# `read PASS <<< ...`, `passwd --stdin bob <<< '...'`
login-password  fed  <<<
    (?:read|s?passwd|chpasswd|smbpasswd|sudo|kinit|docker|podman|gh|gpg|openssl|cryptsetup|ssh-add)\b
    [^\n|;<]{0,120}<<<\s{0,4}{ARGUMENT}
secret  value  gh secret set
    {HINT}\s{LINE}?(?:-b(?={OPEN})|(?:-b|--body)[ =]{1,2}){QUOTE}
    (?P<secret>(?:[^\s"'`\\]|\\(?!["'`])){4,2000})
secret  stored  --from-literal
    {HINT}[= ]{QUOTE}[\w.-]{1,100}={QUOTE}(?P<secret>[^\s"'`\\]{4,2000})
secret  stored  vault kv p
    (?<=[ \t])[\w.-]{1,60}=["'`]?(?P<secret>(?!@)[^\s"'`\\]{4,2000})
secret  stored  secrets set
    (?<![\w=-])[A-Za-z_][\w.-]{0,80}={QUOTE}(?P<secret>[^\s"'`|;]{4,2000})
secret  value  doppler secrets set|dotnet user-secrets set
    {HINT}{SECOND_ARGUMENT}
secret  value  pulumi config set|netlify env:set
    {HINT}(?={LINE}--secret){SECOND_ARGUMENT}
secret  value  az keyvault secret set|eas secret:create|aws secretsmanager create-secret|{PUT_SECRET}
    {HINT}{LINE}?(?:--value|--secret-string)[ =]{QUOTE}(?P<secret>[^\s"'`|;]{4,2000})
secret  value  aws ssm put-parameter
    {HINT}(?={LINE}SecureString){LINE}?--value[ =]{QUOTE}(?P<secret>[^\s"'`|;]{4,2000})
# The output of a command that prints a secret, alone on its line
secret  printed  {PRINTER}
    {HINT}[^\n]{0,200}\r?\n(?P<secret>[^\s"'`<>\\]{8,2000})(?=[ \t]{0,4}(?:\r?\n|\Z))
# A script for expect: `expect "Password:"`, and on the next line `send "...\r"`
login-password  password  expect
    {HINT}[^\n]{0,60}assword[^\n]{0,20}\r?\n[ \t]{0,20}send[ \t]{1,4}(?:--[ \t]{1,4})?{QUOTE}
    (?P<secret>[^\s"'`\\]{4,200})
# Values that a CI pipeline masks
secret  value  ::add-mask::
    {HINT}{QUOTE}(?P<secret>[^\s"'`]{4,2000})
secret  value  issecret=true]
    ##vso\[task\.setvariable [^\]\n]{0,200}issecret=true\](?P<secret>[^\s"'`]{4,2000})

# Protocols: POP3, FTP, IRC, IMAP, redis
login-password  sent  PASS
    (?:USER \S{1,80}\r?\n[\s>+-]{0,8})?PASS (?P<secret>[^\s"'`]{4,200})(?:\r?\n[\s>+-]{0,8}(?:NICK|USER) )?
login-password  password  LOGIN
    [A-Za-z]{0,4}\d{1,5} LOGIN \\{0,7}"?[\w.@+-]{1,80}\\{0,7}"? \\{0,7}"?(?P<secret>[^\s"'`\\]{6,200})
# `/msg NickServ identify bob ...`
login-password  password  nickserv
    (?i){HINT}\s{1,4}(?:identify|register|ghost|id)[ \t]{1,4}
    (?:[\w.\[\]-]{1,40}[ \t]{1,4}(?=[^\s`]{4,100}`{0,3}{GAP}(?:\n|\Z)))?(?P<secret>[^\s"'`]{4,100})
login-password  redis  AUTH
    AUTH[ ](?:[A-Za-z][\w.-]{0,40}[ ])?(?P<secret>[^\s"'`]{4,400})(?=\s|\\n|\Z)

# Sentences: "user: ada, pass: ...", "user ada, password ...", "login: ada / ..."
login-password  odd  user|login|username|benutzer|usuario|utilisateur|utente|gebruiker
    (?i){HINT}{GAP}[:=]?{GAP}{USER}{GAP}[,;/|]?[ \t]{1,4}(?:pass|pw|pwd){GAP}[:=]{GAP}
    {QUOTE}(?P<secret>[^\s"'`\\]{6,200})
login-password  odd  credential|creds|login|zugangsdaten|identifiants|credenciales|inloggegevens
    (?i){HINT}s?{GAP}[:=]{GAP}{USER}(?:[ \t]{1,4}[/|][ \t]{1,4}|:){QUOTE}(?P<secret>[^\s"'`\\/]{6,200})
# "user/pass: ada/..."
login-password  odd  user/pass|user:pass|username/pass|username:pass|login/pass
    (?i){HINT}(?:word|wd)?{GAP}(?:[:=]|is|are){GAP}{USER}{GAP}[/:]{GAP}{TOLD}
# "log in with admin / ..."
login-password  odd  {LOG_IN}
    (?i){HINT}[^\n;]{0,80}?[ ](?:{AS})[ ]["'`]?(?P<user>[\w.+-]{1,40}(?:@[\w.-]{1,60})?)["'`]?
    (?:[ ]/[ ]|[ ]?:[ ]?|,?[ ](?:{AND})[ ](?:the )?(?:pass(?:word|wort)?|pw|pwd)?:? ?){TOLD}
login-password  odd  admin|administrator|root|sysadmin|superuser|ubuntu|ec2-user|postgres
    (?i){HINT}["'`]?(?:[ ]/[ ]|:){TOLD}
login-password  odd  @
    (?P<user>(?<![\w.@:/+-])[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{2,30}){1,4})["'`]?(?:[ ]/[ ]|:){TOLD}
# "the login is bob:...", "creds for staging are bob / ..."
login-password  odd  {LOGIN}
    (?i){HINT}{IS}{TOLD_USER}[ ]/[ ]{TOLD}
login-password  odd  {LOGIN}
    (?i){HINT}{IS}{TOLD_USER}:[ ]?{TOLD}
# "my pass is ...": without an owner, "pass" is usually a test result
login-password  owned  pass is |pass:
    (?i)pass(?:[ ]is(?:[ ]now)?|:)[ ]{TOLD}
seed-phrase  seed  seed|mnemonic|recovery phrase|recovery words|backup phrase|wallet phrase|secret phrase
    (?i)(?:seed|mnemonic|(?:recovery|backup|wallet|secret)[ _-](?:phrase|words))(?:[ _-](?:phrase|words))?
    ["'`*]{0,3}(?:[ ](?:is|are|was))?[ ]{0,2}[:=]?[ ]{0,2}\s{0,4}["'`]{0,3}
    (?P<secret>(?:{SEED}[ ,]{0,2}[ \n]){11,23}{SEED})(?![\w'-])

# Files: .netrc, .pgpass, ~/.docker/config.json (and the same in base64), a Wi-Fi code
login-password  value  login|account|machine
    (?i){HINT}\s{1,40}\S{1,100}\s{1,40}password\s{1,8}(?P<secret>\S{3,200})
login-password  no-word  :5432:|:5433:|:5434:|:6432:|:15432:|:25432:|:54320:|:54321:|:54322:|:*:
    (?<![\w.*:/-])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:
    (?P<secret>[^\s:"'\\]{4,200})(?=\s|\\|\Z)
docker-auth  base64-login  auth
    (?<=")auth\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"(?P<secret>[A-Za-z0-9+/]{8,}={0,2})
docker-auth  always  eyJhdXRocyI6
    {HINT}[A-Za-z0-9+/=]{16,}
login-password  value  WIFI:
    {HINT}[^\n]{0,200}?;P:(?P<secret>(?:\\[;,:]|[^;\n]){4,100});
# A Google service account, kaggle.json, ~/.aws/credentials as a table
google-key-id  always  private_key_id
    {HINT}\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"(?P<secret>[0-9a-f]{32,})
kaggle-key  always  username
    {HINT}\\{0,7}"\s?:\s?\\{0,7}"[\w.-]{1,60}\\{0,7}",\s?\\{0,7}"key\\{0,7}"\s?:\s?\\{0,7}"
    (?P<secret>[0-9a-f]{32})
aws-secret  always  AKIA|ASIA
    {HINT}[A-Z0-9]{16}[\s,|:;"'=]{1,20}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])
vault-secret-id  always  secret_id|secret-id
    (?i){HINT}\\{0,7}["']?\s{0,4}[:=]\s{0,4}\\{0,7}["']?(?P<secret>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})
azure-key  always  accountkey|sharedaccesskey
    (?i){HINT}=(?P<secret>[A-Za-z0-9+/]{20,}={0,2})
azure-key  always  .azurewebsites.net/
    {HINT}[^\s"'`<>]{0,200}?[?&]code=(?P<secret>[\w%+/=-]{20,})
# The keys and salts of WordPress, which have more symbols than letters
secret  value  _KEY|_SALT
    (?:SECURE_AUTH|AUTH|LOGGED_IN|NONCE){HINT}["'],[ \t]{0,40}(?P<quote>["'])
    (?P<secret>(?!put your)(?:(?!(?P=quote))[^\n\\]|\\.){20,200})(?P=quote)

# Private keys: blocks, in base64, and the private part of a JSON web key
private-key  always  PRIVATE KEY
    -{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}{KEY_LINES}{KEY_END}
openvpn-key  always  OpenVPN Static key
    -----BEGIN OpenVPN Static key V\d-----(?P<secret>(?:{BREAK}{1,40}\w{12,}){1,64})
private-key  always  Private-Lines:
    {HINT} \d{1,6}(?P<secret>{KEY_LINES})
private-key  base64-key  LS0tLS1CRUdJTi
    {HINT}[A-Za-z0-9+/]{40,}={0,2}
private-key  always  "d
    (?<=")d\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"(?P<secret>[\w-]{40,})(?=\\{0,7}")
"""
