package web

import (
	"crypto/rand"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
)

// A door lets in who has the link that recall printed, and nobody else: other users of this machine, other pages in
// the same browser, and names that lead here from outside.
type door struct {
	allowed []string // what a request may call this host
	cookie  string   // named by the instance: browsers don't part cookies by port
	pass    string   // what it holds

	mu     sync.Mutex
	tokens []string // that weren't used yet
}

func newDoor() *door {
	return &door{cookie: "recall-" + rand.Text()[:8], pass: rand.Text()}
}

// hosts are the names of the address that is listened on.
func (d *door) hosts(at net.Addr) {
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return // nothing is allowed
	}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		d.allowed = append(d.allowed, net.JoinHostPort(host, port))
	}
}

func (d *door) mint() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	token := rand.Text()
	d.tokens = append(d.tokens, token)
	return token
}

// spend reports whether a token is good; it is no longer.
func (d *door) spend(token string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.tokens, func(t string) bool { return same(t, token) })
	if i < 0 {
		return false
	}
	d.tokens = slices.Delete(d.tokens, i, i+1)
	return true
}

// same reports whether two secrets are equal, in a time that tells nothing of where they differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// policy lets a page load our style and script and send its forms back to us, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// guard answers who may see the pages, and refuses the others.
func (d *door) guard(next http.Handler) http.Handler {
	ours := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !slices.Contains(d.allowed, r.Host) { // a name of somebody else's that leads here
			http.Error(w, "these pages are for this machine alone", http.StatusMisdirectedRequest)
			return
		}
		if token := r.URL.Query().Get("token"); token != "" && r.URL.Path == "/" && d.spend(token) {
			http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.pass, Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode})
			// Not a redirect: where the link was clicked on another site's page, the cookie isn't sent along one.
			h.Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, `<!doctype html><title>recall</title><link rel="icon" href="/icon.svg">`+
				`<meta http-equiv="refresh" content="0;url=/"><a href="/">recall</a>`)
			return
		}
		c, err := r.Cookie(d.cookie)
		if err != nil || !same(c.Value, d.pass) {
			http.Error(w, "recall: this link was used already, or isn't whole. Press Enter where recall web runs for "+
				"a new one.", http.StatusForbidden)
			return
		}
		ours.ServeHTTP(w, r)
	})
}
