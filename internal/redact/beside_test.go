package redact_test

import (
	"strings"
	"testing"

	"recall/internal/redact"
)

// Beside a word of secrecy or of access, on its line or the next, a value is masked for its looks, though nothing says
// how the two are joined.
func TestSecretBesideItsWord(t *testing.T) {
	for _, c := range [][2]string{
		{"if the admin console hangs: Meadow1987!", "Meadow1987!"},
		{"User: ann\nPass: meadow451278", "meadow451278"},
		{"use ann and hT4wRbNxKsLmVyQpGcZd to get into the portal", "hT4wRbNxKsLmVyQpGcZd"},
		{"log in to https://x.io as ann with hTwRbNxKsLmVyQpG", "hTwRbNxKsLmVyQpG"},
		{"// until Friday: admin pw Lantern.4471", "Lantern.4471"},
		{"LUKS passphrase for nas.local: short grey lizard sofa", "lizard"},
		{"the disk is encrypted with short grey lizard sofa", "lizard"},
		{`RESTIC_PASSWORD="short grey lizard sofa"`, "lizard"},
		{"sudo rabbitmqctl add_user ann lantern-meadow-thistle", "meadow-thistle"},
		{"curl https://api.telegram.org/bot123456789:AA" +
			"hT4wRbNxKsLmVyQpGcZd7q2XfJk9uEoSi/getMe", "hT4wRbNxKsLmVyQpGcZd7q2X"},
		{"curl https://events.x.com/integration/4b1b1406676746e6bec703a91bbd78b9/enqueue", "4b1b1406676746e6"},
		{"[auth]\nsecret = lanternThistle+46\n", "lanternThistle+46"},
		{"| user | password |\n|---|---|\n| ann | hTwRbNxKsLmVyQpG |", "hTwRbNxKsLmVyQpG"},
		{"first half of the token: q4Zt8wRbN2, second half: xKs7Lm4Vy9", "xKs7Lm4Vy9"},
		{`password := []byte("gr33nTea")`, "gr33nTea"},
		{`pin: "385835"`, "385835"},
		{"restart the login box, Lantern&thistle431 lets you in", "Lantern&thistle431"},
		{"unlock, then q4Zt8wRbN2xKs7Lm", "q4Zt8wRbN2xKs7Lm"},
		{"passwordeval echo thistle.lantern.62", "thistle.lantern.62"},
		{"$ acme connection list --show-password\nprod  k7qz9wxt4bvm", "k7qz9wxt4bvm"},
		{"they mailed me a temp password once more, k4tz-9wqx-m3vb-7hdn, which works", "k4tz-9wqx-m3vb-7hdn"},
		{"SMTP_PSW=lantern.meadow.31", "lantern.meadow.31"},
		{"db-pasword: k7qz9wxt4bvm", "k7qz9wxt4bvm"},
		{"ansible_ssh_pass: 84620573", "84620573"},
		{"failed password for ann (Woda-Umbrella-66) from 10.0.0.9", "Woda-Umbrella-66"},
		{"sign in as ann, thistle_lantern_461", "thistle_lantern_461"},
		{"created root / whk7q0dk2b", "whk7q0dk2b"},
		{"the credentials:\n  ann\n  LanternThistle461", "LanternThistle461"},
		{"[WARN] deprecated token 4b1b1406676746e6bec703a91bbd78b9 used", "4b1b1406676746e6bec703a91bbd78b9"},
		{"it is pTx9_Lk#27vQwm for the database", "pTx9_Lk#27vQwm"},
		{"10.0.0.4 root t$R4kq9!Wz2m", "t$R4kq9!Wz2m"},
		{"Password: U*&!5gCg-REw", "U*&!5gCg-REw"},
		{"the password is Git4rr3*340, ask ann", "Git4rr3*340"},
		{"db.password=matrix.Ladder585", "matrix.Ladder585"},
		{"rootpw {SSHA}SgUHTdLlSAIbIbS6luELifjZ0+HrPZ96", "SgUHTdLlSAIbIbS6luELifjZ0+HrPZ96"},
		{"var key = []byte{99, 109, 3, 122, 14, 106, 179, 217, 233, 35, 126, 229, 14, 98, 61, 7}", "106, 179, 217"},
		{"SIGNING_KEY: [u8; 16] = hex!(\"b73abed1d2d71968343400b9eaae0dbd\")", "b73abed1d2d71968343400b9eaae0dbd"},
		{"acme import <<< 'Thistle-lantern-543'", "Thistle-lantern-543"},
		{"acme ann@example.org LanternThistle461", "LanternThistle461"},
		{"the box: admin, LanternThistle461", "LanternThistle461"},
		{"fly secrets set SESSION=4b1b1406-6767-46e6-bec7-03a91bbd78b9 TZ=UTC", "4b1b1406-6767"},
		{"vault kv get secret/acme\n== Data ==\nKey      Value\nendpoint Meadow-falcon-89", "Meadow-falcon-89"},
		{"the passphrase for the backups: lantern-meadow-thistle", "lantern-meadow-thistle"},
		{"P9$kM!t2#Vn^z was printed", "P9$kM!t2#Vn^z"},
		{"код подтверждения 593184", "593184"},
		{"passphrase: short grey lizard sofa", "lizard"},
		{"password: $Thistle1987$", "$Thistle1987$"},
		{"acme_live_4b1b1406676746e6bec703a91bbd78b9", "4b1b1406676746e6bec703a91bbd78b9"},
		{"q4Zt8wRbN2xKs7Lm", "q4Zt8wRbN2xKs7Lm"},
		{"Zugang: `admin` / `Meadow+Thistle_46`", "Thistle_46"},
		{"ROUTER LOGIN\nadmin\nLanternThistle461", "LanternThistle461"},
		{"see // by hand: admin/LanternThistle46", "LanternThistle46"},
		{"ssid guest, passphrase “copper lizard sofa”", "lizard"},
		{"die Passphrase lautet „short grey lizard sofa“", "lizard"},
		{"비밀번호는 Saffron.Lemon_64입니다", "Lemon_64"},
		{"BACKUP_PASSWORD=short grey lizard sofa\nTZ=UTC", "lizard"},
		{"ann: whats the admin password?\nbob: it's Thistle88_x\nann: thx", "Thistle88_x"},
		{`"db_pw": {"sensitive": true, "type": "string", "value": "52WINter!3"}`, "52WINter!3"},
		{`Config { api_key: Some("M34d0w88!"), retries: 3 }`, "M34d0w88!"},
		{"vault kv get -format=json secret/x\n{\"hook\": \"KmQQgkAOUaCYiBRscvSdMMJqQfIO\"}", "KmQQgkAOUaCY"},
	} {
		if got := redact.Text(c[0]); strings.Contains(got, c[1]) {
			t.Errorf("%q is left: %q", c[1], got)
		}
	}
	for _, text := range []string{
		"auth:\n  existingSecret: tls-wildcard-2025\n",
		"rpassword = \"10.4.20\", password: !Ref DbPassword",
		"$ kubectl get secrets\noauth2-proxy-cookie   Opaque   3\ntls-wildcard-2025   Opaque   1",
		"secret_arn: arn:aws:secretsmanager:eu-west-1:128334672297:secret:prod/db-RDZ328",
		"the password dialog has three tabs: \"general network advanced\"",
		"the login page: see https://acme.test/docs/Meadow_Falcon12/Page1987!",
		"unlock the tests with SecP384r1MLKEM1024 and fp64RegMask, 4*smallMaxTokenSize, cockroach#6181",
		"admin: build is64BitInt(v) && cmdMlKem768KeyGenAft(), arg0*auxInt",
		"root was asked in req_011CazjHVN94cBb3r3Mb82YV and toolu_01B1w1ng7ZALu6sieVypBdXw",
		"golang.org/x/root v0.21.0 h1:X31++rzVUdKhX5sWmSOFZxx8UW/ldWx55cbf08iNAMA=",
		"two-factor login of provider-decision-2.md, gpt-turbo-16k and utf8mb4 for the password column",
		`{"password": "", "mode": "Green-leaf-42"}, float64x2 in docker/setup-go@44694675825211faa026b3c33043df3e48a5fa00`,
		"fmt.Sprintf(\"%-32s%-10s%-15T\"), a key's bytes 1, 2, 3, 4, 5, 6, 7, 8, x*W1+b2-W2*3, A$1+B$2",
		"$ git ls-tree HEAD secrets.md\n040000 tree 524010aa7a341bea8533496cc4c99a15283cd146\tauth",
		"input+len-48, secret+64, accounts 08A0..08FF; ann@example.org:8388/x, NewValue0(v.Pos, OpSignExt8to16, admin)",
		"see fix-4b1b1406676746e6bec7 and 4b1b1406676746e6bec703a91bbd78b9, 5*Second%20to, 0x2a67d68660df41c7",
	} {
		if got := redact.Text(text); got != text {
			t.Errorf("Text(%q): got %q, want it unchanged", text, got)
		}
	}
}
