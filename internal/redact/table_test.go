package redact

import (
	"strings"
	"testing"
)

// Secrets here are invented: letters and digits in the form of each kind. They
// are put together from halves, so that no scanner of repositories stumbles
// over this file.
func masked(t *testing.T) map[string][2]string {
	t.Helper()
	const (
		a20 = "q7Rk2mXz9LpT4vBn8WsY"
		a36 = "q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ"
		h32 = "9f3c1b7ae04d5682c1f79ab3d0e46258"
		h64 = h32 + "4b8d7e2f60a1935cd7e81f2a3b4c5d6e"
	)
	jwt := "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." +
		"dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	return map[string][2]string{ // name: text, secret
		"url password":                {"DATABASE is postgres://app:Tr0ub4dor@db.internal:5432/app", "Tr0ub4dor"},
		"url password, https":         {"git clone https://deploy:s3cr3tpw@git.corp.io/x.git", "s3cr3tpw"},
		"url password with @":         {"redis://default:p@ss9word@cache:6379/0", "p@ss9word"},
		"url password mongo":          {`uri: "mongodb+srv://svc:gR8-kk2@cluster0.mongodb.net/?retryWrites=true"`, "gR8-kk2"},
		"url password amqp letters":   {"amqp://worker:bluewhale@mq.local", "bluewhale"},
		"url token as user":           {"https://" + a36 + "@github.com/acme/x", a36},
		"bearer header":               {"Authorization: Bearer " + a36, a36},
		"bearer header short":         {"Authorization: Bearer abc123def", "abc123def"},
		"bearer in curl":              {`curl -H "Authorization: Bearer ` + a20 + `" https://api.acme.io`, a20},
		"bearer in json":              {`{"Authorization": "Bearer ` + a20 + `"}`, a20},
		"bearer in code":              {`req.Header.Set("Authorization", "Bearer ` + a20 + `")`, a20},
		"bearer in escaped json":      {`{\"Authorization\": \"Bearer ` + a20 + `\"}`, a20},
		"bearer bare":                 {"then I sent Bearer " + a20 + " and it worked", a20},
		"token header":                {"authorization: token " + a20, a20},
		"api key header":              {"x-api-key: " + a36, a36},
		"basic header":                {"Authorization: Basic YWRtaW46aHVudGVyMg==", "YWRtaW46aHVudGVyMg=="},
		"basic bare":                  {"header was Basic YWRtaW46aHVudGVyMg== here", "YWRtaW46aHVudGVyMg=="},
		"curl user":                   {"curl -u admin:hunter22 https://x.io", "hunter22"},
		"curl user among other flags": {"curl -sSu admin:hunter22 https://x.io", "hunter22"},
		"user and password flags":     {"cqlsh db -u ann -p gR8kk2Lq9", "gR8kk2Lq9"},
		"user and password, a comma":  {"lftp -u ann,gR8kk2Lq9 ftp.x.io", "gR8kk2Lq9"},
		"data source, Go":             {`sql.Open("mysql", "root:Tr0ub4dor@tcp(127.0.0.1:3306)/app")`, "Tr0ub4dor"},
		"data source, socket":         {"DSN=app:gR8-kk2@unix(/run/mysqld.sock)/app", "gR8-kk2"},
		"cookie jar":                  {".x.io\tTRUE\t/\tTRUE\t1790000000\tsid\t" + a20, a20},
		"cookie jar, HTTP only":       {"#HttpOnly_x.io\tFALSE\t/\tFALSE\t0\tsid\t" + a20, a20},
		"property list":               {"<key>APIToken</key>\n\t<string>" + a20 + "</string>", a20},
		"name and value elements":     {"<name>fs.s3a.secret.key</name>\n  <value>" + a36 + "</value>", a36},
		"basic auth in Go":            {`req.SetBasicAuth("ann", "gR8kk2Lq9")`, "gR8kk2Lq9"},
		"auth tuple":                  {`requests.get(u, auth=("ann", "gR8kk2Lq9"))`, "gR8kk2Lq9"},
		"connection's password":       {`DriverManager.getConnection(url, "ann", "gR8kk2Lq9")`, "gR8kk2Lq9"},
		"webhook's path":              {"https://n8n.corp.io/webhook/4f0c2a17-8d3b-4e6f-9a51-c07de2b8f364", "4f0c2a17-8d3b"},
		"reset link":                  {"https://x.io/reset-password/" + a36, a36},
		"curl user quoted":            {"curl -s --user 'svc:S3nt!nel' https://x.io", "S3nt!nel"},
		"password of mysql":           {"mysqldump -u root -pkx92mm1a -h db", "kx92mm1a"},
		"password of mysql, quoted":   {"mysql -u root -p'kx92 mm1a' shop", "kx92 mm1a"},
		"password of sshpass":         {"sshpass -p kx92mm1a ssh ann@host", "kx92mm1a"},
		"password quoted":             {`password = "word-word-9Word"`, "word-word-9Word"},
		"password quoted letters":     {`"password": "letmeinplease"`, "letmeinplease"},
		"password single quotes":      {`db_password: 'hunter2'`, "hunter2"},
		"password in escaped json":    {`{\"password\": \"hunter2xyz\"}`, "hunter2xyz"},
		"password yaml":               {"  password: Winter2024!", "Winter2024!"},
		"password ini":                {"password = hunter2", "hunter2"},
		"password env":                {"DB_PASSWORD=Tr0ub4dor&3", "Tr0ub4dor&3"},
		"password env export":         {"export MYSQL_PWD=kx92,mm;1", "kx92,mm;1"},
		"password pass":               {"SMTP_PASS=zebra-91-lime", "zebra-91-lime"},
		"password flag":               {"mysql --password hunter2xyz -h db", "hunter2xyz"},
		"password flag =":             {"psql --db-password=hunter2xyz", "hunter2xyz"},
		"password typed":              {`const password: string = "gr33nTea"`, "gr33nTea"},
		"password go":                 {`password := "gr33nTea"`, "gr33nTea"},
		"password map":                {`config["password"] = "gr33nTea"`, "gr33nTea"},
		"password xml":                {"<password>gr33nTea</password>", "gr33nTea"},
		"password prose":              {"the password is gr33nTea99.", "gr33nTea99"},
		"password connection string":  {"Server=db;Database=x;User Id=sa;Password=gr33n!Tea;", "gr33n!Tea"},
		"password german":             {"Passwort: Winter2024", "Winter2024"},
		"pwd":                         {"pwd: kx92mm1a", "kx92mm1a"},
		"pw in korean":                {"PW는 kx92mm1Q!a", "kx92mm1Q!a"},
		"pw in japanese":              {"PWは kx92mm1Q です", "kx92mm1Q"},
		"passphrase words":            {`passphrase = "correct horse battery staple"`, "correct horse battery staple"},
		"secret":                      {`client_secret: "` + a36 + `"`, a36},
		"secret uuid": {"secret: 3f2b8c1e-9d47-4a6b-8e21-7c5d0f9a1b34",
			"3f2b8c1e-9d47-4a6b-8e21-7c5d0f9a1b34"},
		"secret hex":    {"SIGNING_SECRET=" + h32, h32},
		"api key":       {`api_key = "` + a20 + `"`, a20},
		"api key camel": {`apiKey: '` + h32 + `'`, h32},
		"api key env":   {"ACME_API_KEY=" + h32, h32},
		"token env":     {"export ACME_TOKEN=" + a20, a20},
		"token query":   {"https://x.io/cb?token=" + a20 + "&next=1", a20},
		"token json":    {`{"access_token":"` + a36 + `","expires_in":3600}`, a36},
		"azure account key": {"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + a36 + a36 + "w==;",
			a36 + a36},
		"aws id": {"AKIA" + "Q3EGXMPLRWOZ7TKB is it", "AKIA" + "Q3EGXMPLRWOZ7TKB"},
		"aws secret near id": {"AKIA" + "Q3EGXMPLRWOZ7TKB\n" + "kW9/xT2+Lq8vRz4mNc7bYp1sJd5gHf3uAe6iOo0Q",
			"kW9/xT2+Lq8vRz4mNc7bYp1sJd5gHf3uAe6iOo0Q"},
		"aws secret named": {"aws_secret_access_key = kW9/xT2+Lq8vRz4mNc7bYp1sJd5gHf3uAe6iOo0Q",
			"kW9/xT2+Lq8vRz4mNc7bYp1sJd5gHf3uAe6iOo0Q"},
		"anthropic": {"ANTHROPIC_API_KEY=sk-ant-" + "api03-" + a36 + a36 + "-abcdefAA",
			"sk-ant-" + "api03-" + a36 + a36 + "-abcdefAA"},
		"anthropic oauth": {"key sk-ant-" + "oat01-" + a36 + ".", "sk-ant-" + "oat01-" + a36},
		"openrouter":      {"use sk-or-" + "v1-" + h64, "sk-or-" + "v1-" + h64},
		"openai project":  {"(sk-" + "proj-" + a36 + "_" + a20 + ")", "sk-" + "proj-" + a36 + "_" + a20},
		"openai old":      {"sk-" + a20 + "T3BlbkFJ" + a20, "sk-" + a20 + "T3BlbkFJ" + a20},
		"github":          {"`ghp_" + a36 + "`", "ghp_" + a36},
		"github server":   {"ghs_" + a36 + ",", "ghs_" + a36},
		"github fine": {"github_pat_" + "11ABCDEFG0" + a20 + "_" + a36 + "x",
			"github_pat_" + "11ABCDEFG0" + a20 + "_" + a36 + "x"},
		"gitlab": {"glpat-" + a20, "glpat-" + a20},
		"hugging face": {"HF_TOKEN hf_" + "qwRTzuIOpaSDFghJKlyXCvbNMqwERTzuio",
			"hf_" + "qwRTzuIOpaSDFghJKlyXCvbNMqwERTzuio"},
		"npm": {"//npm.example.com/:_authToken=npm_" + a36, "npm_" + a36},
		"pypi": {"pypi-" + "AgEIcHlwaS5vcmc" + a36 + a36,
			"pypi-" + "AgEIcHlwaS5vcmc" + a36 + a36},
		"google": {"AIza" + "Sy" + a20 + "Bq4-7_cD9eFgX", "AIza" + "Sy" + a20 + "Bq4-7_cD9eFgX"},
		"slack bot": {"xoxb-" + "1234567890123-1234567890123-" + a20,
			"xoxb-" + "1234567890123-1234567890123-" + a20},
		"slack webhook": {"https://hooks.slack.com/services/" + "T01AB2CD3/B04EF5GH6/" + a20,
			"T01AB2CD3/B04EF5GH6/" + a20},
		"discord webhook": {"https://discord.com/api/webhooks/" + "123456789012345678/" + a36 + a20,
			a36 + a20},
		"digitalocean": {"dop_v1_" + h64, "dop_v1_" + h64},
		"age": {"AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE",
			"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"},
		"stripe": {"sk_live_" + a20 + ")", "sk_live_" + a20},
		"sendgrid": {"SG." + "q7Rk2mXz9LpT4vBn8WsYc3." + a36 + "x1Z9k2Q",
			"SG." + "q7Rk2mXz9LpT4vBn8WsYc3." + a36 + "x1Z9k2Q"},
		"jwt":             {"got " + jwt + " back", jwt},
		"jwt in brackets": {"[" + jwt + "]", jwt},
		"private key": {"-----BEGIN RSA PRIVATE KEY-----\n" + h64 + "\n" + h64 + "\n-----END " +
			"RSA PRIVATE KEY-----", h64 + "\n" + h64},
		"private key literal \\n": {`"-----BEGIN PRIVATE KEY-----\n` + h64 + `\n` + h64 + `\n-----END ` +
			`PRIVATE KEY-----\n"`, h64},
		"private key clipped end":   {"-----BEGIN OPENSSH PRIVATE KEY-----\n" + a36 + a36 + "\n" + a36, a36},
		"private key clipped begin": {a36 + a20 + "\n" + a36 + "\n-----END OPENSSH PRIVATE KEY-----", a20},
		"cookie":                    {"Cookie: theme=dark; sid=" + a36 + "; lang=de", a36},
		"set-cookie":                {"< set-cookie: session=" + a20 + "; Path=/; HttpOnly", a20},
		"telegram": {"bot 123456789:AA" + "q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5K-_",
			"AA" + "q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5K-_"},
		"kubernetes": {"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  user: " +
			"YWRtaW4x\n  pw: aHVudGVyMmh1bnRlcjI=\n", "aHVudGVyMmh1bnRlcjI="},
		"gitleaks, named":           {`datadog_api_key: "` + h32 + `01234567"`, h32 + "01234567"},
		"gitleaks, prefixed":        {"shpat_" + h32, "shpat_" + h32},
		"password of docker":        {"docker login -u ann -p " + a20 + " ghcr.io", a20},
		"password of redis":         {"redis-cli -h cache -a kx92mm1a ping", "kx92mm1a"},
		"password of ldap":          {"ldapsearch -D cn=admin -w kx92mm1a -b dc=x", "kx92mm1a"},
		"password of openssl":       {"openssl rsa -passin pass:kx92mm1a -in k.pem", "kx92mm1a"},
		"password of wget, letters": {"wget --password=GHoPZgPDcga https://x.io", "GHoPZgPDcga"},
		"password piped in":         {"echo kx92mm1a | docker login -u ann --password-stdin", "kx92mm1a"},
		"password piped into sudo":  {"echo -n kx92mm1a | sudo -S apt update", "kx92mm1a"},
		"password printed":          {`printf '%s\n' 'kx92mm1a' | gh auth login --with-token`, "kx92mm1a"},
		"password piped in, user":   {`echo "ann:kx92mm1a" | chpasswd`, "kx92mm1a"},
		"password of httpie":        {"http --auth ann:kx92mm1a GET x.io", "kx92mm1a"},
		"password of sql":           {"ALTER USER ann WITH PASSWORD 'cFIEZmIlePlS';", "cFIEZmIlePlS"},
		"password of sql, other":    {"CREATE USER ann IDENTIFIED BY 'bluewhale';", "bluewhale"},
		"password of netrc":         {"machine api.x.io\n  login ann\n  password bluewhale", "bluewhale"},
		"password of pgpass":        {"db.internal:5432:shop:ann:kx92mm1a", "kx92mm1a"},
		"password of oracle":        {"jdbc:oracle:thin:ann/kx92mm1a@db:1521/x", "kx92mm1a"},
		"password of redis.conf":    {"requirepass kx92mm1a", "kx92mm1a"},
		"password of powershell":    {`ConvertTo-SecureString "Winter2024!" -AsPlainText -Force`, "Winter2024!"},
		"password german prose":     {"das Passwort ist Winter2024!", "Winter2024"},
		"password short name":       {"my pw: Tr0ub4dor&3", "Tr0ub4dor&3"},
		"password hash": {"ann:$2b$12$q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQq7Rk2mXz9LpT4vBn8WsYc",
			"q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ"},
		"aws configure": {"aws configure set aws_secret_access_key kW9/xT2+Lq8vRz4mNc7bYp1sJd5gHf3uAe6iOo0Q",
			"kW9/xT2+Lq8vRz4mNc7bYp1sJd5gHf3uAe6iOo0Q"},
		"setx": {"setx ACME_KEY " + a20, a20},
		"npmrc uuid": {"//npm.acme.io/:_authToken=3f2b8c1e-9d47-4a6b-8e21-7c5d0f9a1b34",
			"3f2b8c1e-9d47-4a6b-8e21-7c5d0f9a1b34"},
		"token env, hex":      {"ACME_AUTH_TOKEN=" + h32, h32},
		"token header, camel": {"X-Gitlab-Token: LoAtz4TFbY3pflkwyla4", "LoAtz4TFbY3pflkwyla4"},
		"token header, hex":   {"X-Shopify-Access-Token: " + h32, h32},
		"subscription key":    {"Ocp-Apim-Subscription-Key: " + h32, h32},
		"key base":            {"SECRET_KEY_BASE=" + h64 + h64, h64},
		"laravel": {"APP_KEY=base64:aGRJR25KWGxxOE14Vmo1bDNWMjZYa0hid1hUcEMzRm4=",
			"aGRJR25KWGxxOE14Vmo1bDNWMjZYa0hid1hUcEMzRm4="},
		"parameter key": {"https://maps.x.io/v1?q=1&key=" + a20, a20},
		"parameter api_key": {`curl "https://api.x.io/v1?api_key=kpAepcEJIukB4geqNfngAFTC&q=1"`,
			"kpAepcEJIukB4geqNfngAFTC"},
		"parameter token, hex": {"https://x.io/reset?token=" + h32, h32},
		"signed address":       {"https://x.io/b/o?X-Goog-Signature=" + h64 + "&x=1", h64},
		"private key in base64": {"    client-key-data: " +
			"LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFbmVM" + a36 + "==", a36},
		"private key of putty": {"Private-Lines: 1\n" + a36 + "q7Rk2mXz9LpT\nPrivate-MAC: " + h64, a36},
		"private key in hex":   {"the private key 0x" + h64, h64},
		"seed phrase": {`mnemonic = "legal winner thank year wave sausage worth useful legal ` +
			`winner thank yellow"`, "winner thank year"},
		"kubernetes, plain": {"kind: Secret\nmetadata:\n  name: x\nstringData:\n  pw: kx9-2mm1a!\n",
			"kx9-2mm1a!"},
		"kubectl":            {"kubectl create secret generic x --from-literal=db=kx92mm1a", "kx92mm1a"},
		"newer key forms":    {"NRAK-" + "7GEUK80KPLY1VXHP39HFQY4OLS3", "7GEUK80KPLY1VXHP39HFQY4OLS3"},
		"random alone":       {"here it is: " + a36[:28], a36[:28]},
		"random near a word": {"the relay key of acme is " + a20, a20},
		"random in a hook":   {"https://hooks.acme.io/in/" + a20 + "Qz", a20},
		"only argument":      {`new Client("` + a36[:28] + `")`, a36[:28]},
		"value, then name":   {"UPDATE s SET value = 'kx92mm1a' WHERE name = 'db_password'", "kx92mm1a"},
		"name, then default": {"variable \"db_password\" {\n  type = string\n  default = \"kx92mm1a\"\n}",
			"kx92mm1a"},
		"keyword of lisp":          {`{:host "db" :api-key "` + h32 + `"}`, h32},
		"password said first":      {"use kx92mm1a as the ftp password", "kx92mm1a"},
		"groups":                   {"App password: teoy xihr awbl ngvy", "teoy xihr awbl ngvy"},
		"recovery code":            {"recovery_code: \"zl2za-6smj3\"", "zl2za-6smj3"},
		"pin":                      {"DOOR_PIN=059183", "059183"},
		"user and password in one": {"ipmi_credentials = \"ADMIN:hxau04GP\"", "hxau04GP"},
		"github wrapped": {"    ghp_q7Rk2mXz9LpT\n    4vBn8WsYc3HdJ6fGt5KuE1aQ",
			"4vBn8WsYc3HdJ6fGt5KuE1aQ"},
	}
}

func TestSecretsAreMasked(t *testing.T) {
	r := rules(t)
	for name, c := range masked(t) {
		got := r.Session().Text(c[0])
		if strings.Contains(got, c[1]) || !strings.Contains(got, open) {
			t.Errorf("%s: %q is left: %q", name, c[1], got)
		}
	}
}

// What stands around a secret stays readable.
func TestRestOfTextIsKept(t *testing.T) {
	for _, c := range [][2]string{
		{"postgres://app:Tr0ub4dor@db:5432/app", "postgres://app:‹url-password 1›@db:5432/app"},
		{`password = "gr33nTea" # old`, `password = "‹password 1›" # old`},
		{"export A_TOKEN=q7Rk2mXz9LpT4vBn8WsY\nnext", "export A_TOKEN=‹token 1›\nnext"},
		{"export A_TOKEN=q7Rk2mXz9LpT4vBn8WsY; make lint", "export A_TOKEN=‹token 1›; make lint"},
		{"AKIAQ3EGXMPLRWOZ7TKB and AKIAQ3EGXMPLRWOZ7TKC and AKIAQ3EGXMPLRWOZ7TKB",
			"‹aws-key 1› and ‹aws-key 2› and ‹aws-key 1›"},
		{"the password is gr33nTea99.", "the password is ‹password 1›."},
		{"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\nthen",
			"-----BEGIN PRIVATE KEY-----\n‹private-key 1›\n-----END PRIVATE KEY-----\nthen"},
	} {
		if got := rules(t).Session().Text(c[0]); got != c[1] {
			t.Errorf("Text(%q): got %q, want %q", c[0], got, c[1])
		}
	}
}

var harmless = []string{
	"phase to active component=session session_id=dd35cd14-d989-4464-baea-39e67f726978",
	"\"memory_session_id\": \"3dd69142-fdc2-4dd6-9742-605d59ee6e90\",",
	"   60→    pass\n   61→\n   62→    valid_names = set(values)\n   63→    unknown_keys = [k for k in mapping]",
	"commit 4bc47f75b2a353b84d0cd0b5fc7b3ca8568a1f03 fixes it",
	"session 4bc47f75-b2a3-49b8-8cd0-b5fc7b3ca856 resumed",
	"session_id: 4bc47f75-b2a3-49b8-8cd0-b5fc7b3ca856",
	"token: 4bc47f75b2a353b84d0cd0b5fc7b3ca8568a1f03",
	"cache key: sha256:9f3c1b7ae04d5682c1f79ab3d0e462584b8d7e2f60a1935cd7e81f2a3b4c5d6e",
	"/Users/alex/workspace/cli/.worktrees/1/internal/auth/token_store.go",
	"api/v2/secret_manager/key1.go:120:14",
	"password: string", "password: string;", "password?: string | undefined",
	"Password string `json:\"password\"`", "def login(user, password: str = None):",
	"password = os.Getenv(\"DB_PASSWORD\")", "password: process.env.DB_PASSWORD",
	"token := os.Getenv(\"TOKEN\")", "password = getpass.getpass()",
	"password=$DB_PASSWORD", "TOKEN=${{ secrets.DEPLOY_TOKEN }}", "Authorization: Bearer $TOKEN",
	"Authorization: Bearer ${TOKEN}", "Authorization: `Bearer ${token}`",
	"Authorization: Bearer <your-token>", "Authorization: Bearer YOUR_TOKEN",
	"Bearer authentication is used here", "the bearer token expired", "bearer of bad news",
	"api_key: <your-key>", "api_key = \"xxxxxxxxxxxxxxxx\"", "api_key = \"your-api-key-here\"",
	"API_KEY=changeme", "sk-ant-...", "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx", "sk-proj-your-key-here-please-1",
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"postgres://user:password@localhost/db", "postgres://postgres:postgres@localhost:5432/test",
	"https://example.com:8080/a@b", "http://localhost:3000/@vite/client", "https://$USER:$PASS@host/",
	"https://user:${TOKEN}@github.com",
	"git@github.com:acme/app.git", "ssh://git@github.com:22/acme/app.git",
	"secret: true", "tokens: 1500", "max_tokens: 4096", "token_count=128000", "tokenizer = \"o200k_base\"",
	"input_tokens\":1234,\"output_tokens\":567",
	"password = password2", "password, err := readPassword(fd)", "if password == \"\" {",
	"passwordField.setText(\"Enter your password\")", `"password": "Password"`, `label: "Forgot password?"`,
	`type="password" id="login-password"`,
	`errors.New("wrong password")`, `["username", "password", "email"]`, `"password": "DB_PASSWORD"`,
	"PWD=/home/alex/src", "OLDPWD: /tmp", "pwd: /home/ann/app",
	"the secret is to keep functions short", "the key insight: use one pass", "the token is refreshed hourly",
	"key = primaryKey1", "key: \"user:1234:profile\"", "keyboard: qwertz105de", "author: alex1984smith",
	"go.sum: h1:PmEvCfVI7ti9dV3s5aMZUY7sS2GxRvG3yzih7E+cS3w=",
	"integrity sha512-9f3c1b7ae04d5682c1f79ab3d0e462584b8d7e2f60a1935c==",
	"\"integrity\": \"sha512-q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ==\"",
	"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
	"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPq7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5 alex@box",
	"claude-opus-4-5-20251101 was the model", "api_version: 2024-10-21-preview", "access: read-write-2",
	"auth: oauth2-proxy-v7", "s.getCheckpointTranscripts()", "task-1a2b3c done", "disk-usage 45",
	"‹aws-key 2› was here", "password = \"‹password 1›\"", "Authorization: Bearer ‹auth-header 3›",
	"postgres://app:‹url-password 1›@db/x",
	"msg_01XFDUDYJgAACzvnptvVoYEL", "toolu_01A09q90qw90lq917835lq9", "req_011CSHoEeqs5C35K2UUqR7Fy",
	"key: toolu_01A09q90qw90lq917835lq9",
	"key, Uint64FromInt32(n))", "PrivateKey = testRSA2048PrivateKey", "PrivateKey: testEd25519PrivateKey,",
	"certPath, keyPath, ed25519CertPath, ed25519KeyPath string", "if sig != directory64EndSignature {",
	"nKey = libc.Uint64FromInt32(n)", "iKey1 = libc.Uint64FromInt64(*(*Ti64)(p))",
	"curl -u <user:password> https://x.io", "docker run --name mysql -p3306:3306 -d mysql",
	"mysql -u root -p -h db", "mysql -p$DB_PASS", "sshpass -p $PASS ssh x", "sshpass -p your_password ssh x",
	"mysql is up; psql -pabc123", "mysqld -p 3306 listens", "curl --user neo4j:[PASSWORD] http://x.io",
	"docs/token-budget-2025.md", "token=next_page_2", "cursor token: page-2-of-10",
	"const secretKeyRef = config.auth.secretKey2", "credentials: include", "credentials: 'same-origin'",
	`nextPageToken: "q7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5"`, "page_token=q7Rk2mXz9LpT4vBn8WsY",
	"the function identified by \"repeat\" is overwritten", "redis-cli -a $PASS", "docker run -p 8080:80 x",
	`{hexKey: hexPKCS8TestPKCS1Key, ok: true}`, `"ML-KEM-768/keyGen":  cmdMlKem768KeyGenAft(),`,
	"0x33b9:'mv', 0x33ba:'pw', 0x33bb:'nw'",
	"token=sha256:9f3c1b7ae04d5682c1f79ab3d0e462584b8d7e2f60a1935cd7e81f2a3b4c5d6e",
	"the machine lets you login with a password prompt", "requirepass option of redis.conf",
	"The seed phrase is stored elsewhere and we never print it",
	"certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=",
	"https://x.io/search?key=created_at_desc_v2&code=200", "https://x.io/cb?state=abc&code=ABC123",
	"echo hello | docker build -", "das Passwort ist falsch", "postgres://db:5432/shop", "private key of the account",
	"agent_msg_01Ybcx8nsKat8fPEHcSYA2FF", "h1:" + "3fEykkD9k7lYzXqCYrwGAf7iNhbk4yCjHmKBN9td4L0=",
	"<meta name=\"csrf-token\" content=\"Mw53JxAJITQCflo2LTQ_bFF1dTYjRR4Gub2pVJOwgO5QYVGYd\"/>",
	"requestId: \"q7Rk2mXz9LpT4vBn8WsYc3HdJ6fG\"", "testInt64x2ConvertLoToInt64x2",
	"VPNs and passes\n209\t  gnome-calendar\n212\t  gnome-control-center\n213\t  gnome-disk-utility",
	"it is done as the password dialog shows", "bcrypt as the password hash", "Stale pin: `34e1148...` is old",
	"the key is " + "4bc47f75b2a353b84d0cd0b5fc7b3ca8568a1f03",
	"export GH_TOKEN=ghp_xxxxxxxxxxxx", "export TAP_GITHUB_TOKEN=dummy   # template",
	"docker run -u 1000 -p 8080:80 x", "psql -u ann -p 5432", "sudo -u ann -p prompt", "xargs -u one,two",
	"mysql: root:password@tcp(localhost:3306)/app", "fmt.Sprintf(\"%s:%s@tcp(%s)/%s\", u, p, h, d)",
	"src/hooks/useV2SubscriptionSomething.ts", "https://github.com/a/b/tree/main/hooks/useV2SubscriptionSomething",
	"<key>CFBundleIdentifier</key>\n<string>io.x.app2</string>", "a\tTRUE\tb", "requests.get(u, auth=(user, password))",
	"PostHogAPIKey = \"phc_development_key\"", "gitsync.EndpointAuth{Token: \"src\"}",
}

func TestHarmlessTextIsKept(t *testing.T) {
	r := rules(t)
	for _, text := range harmless {
		if got := r.Session().Text(text); got != text {
			t.Errorf("Text(%q): got %q, want it unchanged", text, got)
		}
	}
}

func rules(t testing.TB) *Rules {
	t.Helper()
	r := New()
	return r
}
