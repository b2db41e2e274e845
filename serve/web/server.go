// Package web serves recall in a browser, from a server on this machine. It shows what answer, history, review and
// pipeline compute; only the layout of its charts is its own. Every page works without a script, and no other host is
// contacted. Transcripts are hostile text: only html/template writes it, and a content security policy keeps the
// browser from running anything but our one script.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"recall/answer"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
)

// A Memory is the library as one page sees it.
type Memory struct {
	*pipeline.Pipeline // with the index open, for reading
	Behind             answer.Behind
	Stamp              string // changes with every write to library or index; "" during one
	Close              func() // ends the page's use of it

	Ask func(context.Context, answer.Question) (answer.Answer, error)
	// Compose makes the payload for the next session of the named project.
	Compose func(project string) (*payload.Payload, error)
	HandOn  func(p *payload.Payload, variant string) string
	// Others lists what others in the team recently decided in a project.
	Others func(project string) []string
	// Shared returns a session that somebody else shares with the team; the error is library.ErrNoSession.
	Shared func(id string) (*answer.Shared, error)
	// Say, Settle and Mark record a person's word and update everything derived from it.
	Say    func(items []review.Unseen, word payload.Op, line string) error
	Settle func(link payload.Link, later, earlier payload.ItemID) error
	Mark   func(session ingest.SessionID, m payload.Mark, name string) error
	// Resume returns how a session is continued. What the session says is read unless it is given.
	Resume func(e library.Entry, s *ingest.Session) Resumed
	Prices llm.Prices
	// HookFaults returns the last lines of the hooks' log.
	HookFaults func() []string
}

// Resumed is how a session is continued: by a command, or why by none. With a command, Why is what it needs first.
type Resumed struct{ Command, Why string }

// Options is what a server needs from the program around it. Open is called from several goroutines.
type Options struct {
	// Open opens the memory for one page, syncing first if fresh is set.
	Open func(ctx context.Context, fresh bool) (*Memory, error)
	// Stamp changes whenever a page might have changed.
	Stamp    func() string
	ReadOnly bool   // nothing can be changed
	Profile  string // the file that keeps port and login for the next run, "" for none
	NewLogin bool   // end all former logins
	Log      *slog.Logger
}

//go:embed assets
var assets embed.FS

// Server is recall in a browser.
type Server struct {
	o       Options
	pages   map[string]*template.Template
	door    *door
	profile *profile

	parsing sync.Mutex // while a session is parsed
	kept    keeper
}

// New makes a server. It opens nothing yet.
func New(o Options) (*Server, error) {
	s := &Server{o: o, pages: map[string]*template.Template{}, profile: profileIn(o.Profile, o.NewLogin)}
	s.door = &door{pass: rand.Text(), kept: s.profile.is}
	layout, err := template.New("page.html").Funcs(words()).ParseFS(assets, "assets/page.html")
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(assets, "assets/*.html")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		page, err := template.Must(layout.Clone()).ParseFS(assets, file)
		if err != nil {
			return nil, err
		}
		s.pages[file[len("assets/"):len(file)-len(".html")]] = page
	}
	return s, nil
}

// Listen opens a port on this machine, on 127.0.0.1 and, if available, on ::1: for 0 that of the last run or, if it is
// taken, any free one.
func (s *Server) Listen(port int) (on []net.Listener, err error) {
	if port == 0 {
		on, err = listen(s.profile.is.Port)
	}
	if on == nil {
		on, err = listen(port)
	}
	if err == nil {
		s.profile.listened(on[0].Addr().(*net.TCPAddr).Port)
	}
	return on, err
}

func listen(port int) ([]net.Listener, error) {
	four, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	port = four.Addr().(*net.TCPAddr).Port
	if six, err := net.Listen("tcp6", net.JoinHostPort("::1", strconv.Itoa(port))); err == nil {
		return []net.Listener{four, six}, nil
	}
	return []net.Listener{four}, nil
}

// Serve answers until ctx ends, which is no error.
func (s *Server) Serve(ctx context.Context, on []net.Listener) error {
	s.door.hosts(on[0].Addr())
	srv := &http.Server{Handler: s.door.guard(s.routes()),
		ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10,
		ErrorLog:    slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, peerOf(c))
		}}
	go func() {
		<-ctx.Done()
		in, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		srv.Shutdown(in) // finish the requests in progress
		srv.Close()
	}()
	ended := make(chan error, len(on))
	for _, l := range on {
		go func() { ended <- srv.Serve(l) }()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Link returns an address that opens the pages in one browser, once.
func (s *Server) Link(on []net.Listener) string {
	return "http://" + on[0].Addr().String() + "/?token=" + s.door.mint()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	static, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the assets are embedded
	}
	for _, name := range []string{"style.css", "script.js", "icon.svg"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, static, name)
		})
	}
	mux.Handle("GET /favicon.ico", http.RedirectHandler("/icon.svg", http.StatusMovedPermanently)) // of an image by itself
	mux.Handle("GET /{$}", s.page("ask", s.ask))
	mux.Handle("GET /review", s.page("review", s.review))
	mux.Handle("GET /item/{session}/{item}", s.page("item", s.item))
	mux.Handle("GET /audit", s.page("audit", s.audit))
	mux.Handle("GET /time", s.page("time", s.timeline))
	mux.Handle("GET /sessions", s.page("sessions", s.sessions))
	mux.Handle("GET /session/{id}", s.page("session", s.session))
	mux.Handle("GET /session/{id}/image/{sum}", s.with(s.picture))
	mux.Handle("GET /now", s.page("now", s.now))
	mux.Handle("GET /week", s.page("week", s.week))
	mux.Handle("GET /health", s.page("health", s.health))
	mux.Handle("GET /live", http.HandlerFunc(s.live))
	mux.Handle("POST /say", s.act(s.say))
	mux.Handle("POST /settle", s.act(s.settle))
	mux.Handle("POST /mark", s.act(s.mark))
	mux.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, errors.New("there is no such page"))
	}))
	return mux
}

// A view is the data of a page's template.
type view struct {
	Name     string // of the page
	URL      *url.URL
	ReadOnly bool
	Behind   answer.Behind
	Back     string // on an error page: the page it came from, "" for none
	Doc      any

	out *sender
}

// Here is the page's address without what was just said on it; of a page that leads back to another, that one's.
func (v view) Here() string {
	if back := v.URL.Query().Get("back"); back != "" {
		return within(back)
	}
	return but(v.URL, "said", "", "session", "", "item", "", "was", "", "older", "")
}

// Said is what was just said about an item, "" for nothing; Undo names it, with its earlier line.
func (v view) Said() string { return said[payload.Op(v.URL.Query().Get("said"))] }
func (v view) Undo() undo {
	q := v.URL.Query()
	return undo{q.Get("session"), q.Get("item"), q.Get("was"), q.Get("older")}
}

var (
	errNone = errors.New("there is nothing by that name") // the subject of a page doesn't exist
	errBad  = errors.New("that request is invalid")       // an address or a form makes no sense
)

// with opens the memory for the time of each request; to answer a question, it syncs first.
func (s *Server) with(do func(http.ResponseWriter, *http.Request, *Memory)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Path == "/" && r.URL.Query().Get("q") != ""
		m, err := s.o.Open(r.Context(), asked && !s.o.ReadOnly)
		if err != nil {
			s.fail(w, r, http.StatusServiceUnavailable, err)
			return
		}
		defer m.Close()
		do(w, r, m)
	})
}

// page serves the named page with the document that see returns.
func (s *Server) page(name string, see func(*http.Request, *Memory) (any, error)) http.Handler {
	return s.with(func(w http.ResponseWriter, r *http.Request, m *Memory) {
		doc, err := see(r, m)
		switch {
		case errors.Is(err, errNone), errors.Is(err, library.ErrNoSession), errors.Is(err, library.ErrNoProject),
			errors.Is(err, review.ErrNoItem):
			s.fail(w, r, http.StatusNotFound, err)
		case errors.Is(err, errBad):
			s.fail(w, r, http.StatusBadRequest, err)
		case err != nil:
			s.fail(w, r, http.StatusInternalServerError, err)
		default:
			s.show(w, http.StatusOK, view{Name: name, URL: r.URL, ReadOnly: s.o.ReadOnly || m.Library.ReadOnly() != nil,
				Behind: m.Behind, Doc: doc})
		}
	})
}

// act handles a form: it makes the change and redirects back to the form's page.
func (s *Server) act(do func(*http.Request, *Memory) error) http.Handler {
	return s.with(func(w http.ResponseWriter, r *http.Request, m *Memory) {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		if err := r.ParseForm(); err != nil {
			s.fail(w, r, http.StatusBadRequest, err)
			return
		}
		err := m.Library.ReadOnly()
		if err == nil && s.o.ReadOnly {
			err = errors.New("these pages were opened read-only")
		}
		if err != nil {
			s.fail(w, r, http.StatusForbidden, err)
			return
		}
		// A change in progress is finished even if the tab is closed.
		if err := do(r.WithContext(context.WithoutCancel(r.Context())), m); err != nil {
			s.fail(w, r, http.StatusUnprocessableEntity, err)
			return
		}
		http.Redirect(w, r, within(r.PostForm.Get("back")), http.StatusSeeOther)
	})
}

// within returns a place on these pages; the first page for any other address.
func within(place string) string {
	u, err := url.Parse(place)
	if err != nil || u.IsAbs() || u.Host != "" {
		return "/"
	}
	u.Path, u.RawPath = "/"+strings.TrimLeft(u.Path, `/\`), ""
	return u.String()
}

// fault is an error as shown to people.
type fault struct{ What, Hint string }

func (s *Server) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	if errors.Is(err, context.Canceled) {
		return // nobody is waiting any more
	}
	v := view{Name: "fault", URL: r.URL, Doc: fault{err.Error(), hint.Of(err)}}
	if r.Method == http.MethodPost {
		v.Back = within(r.PostForm.Get("back"))
		v.URL = &url.URL{Path: "/"}
	}
	s.show(w, status, v)
}

// show writes a complete page or none, unless the page is sent in parts: see Flush.
func (s *Server) show(w http.ResponseWriter, status int, v view) {
	out := &sender{w: w, status: status}
	v.out = out
	err := s.pages[v.Name].Execute(out, v)
	switch {
	case out.gone: // nobody is waiting any more
	case err == nil:
		out.flush()
	case out.sent:
		s.o.Log.Error("page", "name", v.Name, "error", err)
		panic(http.ErrAbortHandler) // so that the browser sees that it broke off
	default:
		s.o.Log.Error("page", "name", v.Name, "error", err)
		http.Error(w, "an internal error in recall: its terminal has the details", http.StatusInternalServerError)
	}
}

// A sender sends a page, whole or in parts. It removes invisible characters and those that change text direction,
// wherever they come from.
type sender struct {
	w      http.ResponseWriter
	status int
	b      bytes.Buffer
	sent   bool // a part of it
	gone   bool // the reader
}

// aPart is how many bytes of a page are sent at once, once it is sent in parts.
const aPart = 32 << 10

func (o *sender) Write(p []byte) (int, error) {
	o.b.Write(p)
	if o.sent && o.b.Len() > aPart {
		return len(p), o.flush()
	}
	return len(p), nil
}

func (o *sender) flush() error {
	if !o.sent {
		o.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		o.w.WriteHeader(o.status)
		o.sent = true
	}
	_, err := o.w.Write([]byte(escape.Page(o.b.String(), escape.HTML)))
	o.b.Reset()
	if err == nil {
		err = http.NewResponseController(o.w).Flush()
	}
	o.gone = err != nil
	return err
}

// Flush sends what there is of the page, and from then on what follows as it is made.
func (v view) Flush() (string, error) { return "", v.out.flush() }

// StampOf makes a stamp of the modification times of some files.
func StampOf(paths ...string) string {
	var b bytes.Buffer
	for _, path := range paths {
		if fi, err := os.Stat(path); err == nil {
			b.WriteString(fi.ModTime().UTC().Format(time.RFC3339Nano))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// A keeper caches what pages were made from until the library or its index is written to.
type keeper struct {
	mu    sync.Mutex
	stamp string // of library and index
	of    map[string]any
}

// mostKept limits the cache: pages can be requested for any days.
const mostKept = 20

// kept returns what make makes of a library in the state of a stamp, from the cache if possible; nothing is cached for
// the stamp "".
func kept[T any](k *keeper, stamp, key string, make func() (T, error)) (T, error) {
	k.mu.Lock()
	if k.of == nil || k.stamp != stamp || len(k.of) >= mostKept {
		k.stamp, k.of = stamp, map[string]any{}
	}
	v, ok := k.of[key].(T)
	k.mu.Unlock()
	if ok && stamp != "" {
		return v, nil
	}
	v, err := make()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && stamp != "" && k.stamp == stamp {
		k.of[key] = v
	}
	return v, err
}
