package web

import (
	"crypto/rand"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// A door admits only a browser that once had a link that recall printed: not other users of this machine, other pages
// in the same browser, or outside names that resolve to this machine.
type door struct {
	allowed []string    // allowed Host headers
	pass    string      // the login of this run
	kept    profileFile // that of former runs too, for connections that are known to be this user's

	mu     sync.Mutex
	tokens []string // unused ones
}

// hosts sets the allowed names of the address that is listened on.
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

// spend reports whether a token is valid, and uses it up.
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

// same compares two secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// A peer is whose connection a request came by, as far as that is known.
type peer struct{ own, other bool }

// peerOf tells this user's connections and other users' apart. Those of root are neither: its processes pass others'
// connections on.
func peerOf(c net.Conn) peer {
	uid, known := peerUser(c)
	own := known && uid == os.Getuid()
	return peer{own, known && !own && uid != 0}
}

// peerKey is the key of a connection's peer in the context of its requests.
type peerKey struct{}

// policy lets a page load only our style and script and send its forms only to us.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// guard serves requests that may see the pages, and refuses all others.
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
		if !slices.Contains(d.allowed, r.Host) { // a foreign name that resolves to this machine
			http.Error(w, "these pages are for this machine only", http.StatusMisdirectedRequest)
			return
		}
		by, _ := r.Context().Value(peerKey{}).(peer)
		if by.other {
			http.Error(w, "these pages are another user's", http.StatusForbidden)
			return
		}
		if token := r.URL.Query().Get("token"); token != "" && r.URL.Path == "/" && d.spend(token) {
			cookie := &http.Cookie{Name: d.kept.Cookie, Value: d.pass, Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode}
			if by.own {
				cookie.Value, cookie.MaxAge = d.kept.Pass, int(time.Until(d.kept.Until).Seconds())
			}
			http.SetCookie(w, cookie)
			// Not a redirect: if the link was clicked on another site's page, the cookie wouldn't be sent with it.
			h.Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, `<!doctype html><title>recall</title><link rel="icon" href="/icon.svg">`+
				`<meta http-equiv="refresh" content="0;url=/"><a href="/">recall</a>`)
			return
		}
		c, err := r.Cookie(d.kept.Cookie)
		in := err == nil && (same(c.Value, d.pass) || by.own && same(c.Value, d.kept.Pass) && time.Now().Before(d.kept.Until))
		if !in {
			http.Error(w, "recall: this link was already used, or is incomplete. Press Enter where recall web runs for "+
				"a new one.", http.StatusForbidden)
			return
		}
		ours.ServeHTTP(w, r)
	})
}
