package web

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"recall/library/disk"
)

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
