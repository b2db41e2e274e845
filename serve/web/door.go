package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"recall/library/disk"
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

// A profile is what a server keeps between runs in a file of the user's cache: its port and login, so that a bookmark
// and an open tab work again, and when the person last looked. Without a file it is forgotten.
type profile struct {
	path string

	mu sync.Mutex
	is profileFile
}

type profileFile struct {
	Port   int       `json:"port"`
	Cookie string    `json:"cookie"` // its name, unique to the library: browsers don't separate cookies by port
	Pass   string    `json:"pass"`   // its value
	Until  time.Time `json:"until"`  // when the login ends
	Before time.Time `json:"before"` // the visit before the last one
	Last   time.Time `json:"last"`   // the last look
}

// loginLasts is how long a browser stays logged in.
const loginLasts = 30 * 24 * time.Hour

// aVisit is how long after the last look a look is another visit.
const aVisit = time.Hour

// profileIn reads a file, "" for none; anew makes a new login, which ends all former ones.
func profileIn(path string, anew bool) *profile {
	p := &profile{path: path}
	if path != "" {
		if text, err := disk.ReadIfThere(path); err == nil {
			_ = json.Unmarshal(text, &p.is) // else it is new
		}
	}
	if now := time.Now(); anew || p.is.Pass == "" || now.After(p.is.Until) || p.is.Until.After(now.Add(loginLasts)) {
		p.is.Cookie, p.is.Pass = "recall-"+rand.Text()[:8], rand.Text()
		p.is.Until = now.Add(loginLasts)
	}
	return p
}

// save writes the file; what can't be kept is only forgotten.
func (p *profile) save() {
	if p.path == "" {
		return
	}
	if text, err := json.Marshal(p.is); err == nil && os.MkdirAll(filepath.Dir(p.path), 0o700) == nil {
		_ = disk.Replace(p.path, text, 0o600)
	}
}

// visit returns when the person last looked before this visit, a week ago if that isn't known, and notes that they look
// now.
func (p *profile) visit(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.is.Last) > aVisit {
		p.is.Before = p.is.Last
	}
	if now.Sub(p.is.Last) > time.Minute {
		p.is.Last = now
		p.save()
	}
	if p.is.Before.IsZero() || p.is.Before.After(now) {
		return now.AddDate(0, 0, -7)
	}
	return p.is.Before
}

// listened notes the port that the server has.
func (p *profile) listened(port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.is.Port = port
	p.save()
}
