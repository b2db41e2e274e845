package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Who has the link sees the pages, once; nobody else does, by whatever name or from whatever page they ask.
func TestWebLetsNobodyElseIn(t *testing.T) {
	t.Parallel()
	home, recall := asProgram(t)
	tell(t, home, 1, "retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	link := startWeb(t, home, filepath.Join(home, "Recall"))
	at, err := url.Parse(link)
	if err != nil || at.Hostname() != "127.0.0.1" {
		t.Fatalf("the link is %q, want one to this machine", link)
	}
	jar, err := cookiejar.New(nil)
	must(t, err)
	in := &http.Client{Jar: jar}
	var given http.Header // of the last answer
	ask := func(who *http.Client, method, path string, want int, headers ...string) (body string) {
		t.Helper()
		req, err := http.NewRequest(method, "http://"+at.Host+path, strings.NewReader("session=x&back=//evil.example/"))
		must(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
			if headers[i] == "Host" {
				req.Host = headers[i+1]
			}
		}
		res, err := who.Do(req)
		must(t, err)
		defer res.Body.Close()
		given = res.Header
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != want {
			t.Errorf("%s %s %v: %s (%v), want %d", method, path, headers, res.Status, err, want)
		}
		if policy := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s %s: the policy is %q", method, path, policy)
		}
		return string(b)
	}
	for _, host := range []string{"[::1]", "localhost"} {
		if res, err := http.Get("http://" + host + ":" + at.Port() + "/"); err == nil {
			res.Body.Close()
			if res.StatusCode != http.StatusForbidden {
				t.Errorf("%s lets a stranger in: %s", host, res.Status)
			}
		} else if host == "localhost" {
			t.Error(err)
		}
	}
	stranger := http.DefaultClient
	ask(stranger, "GET", "/", http.StatusForbidden)
	ask(stranger, "GET", "/?token=AAAA", http.StatusForbidden)
	ask(in, "GET", "/?token="+at.Query().Get("token"), http.StatusOK)
	if cookie := given.Get("Set-Cookie"); !regexp.MustCompile(
		`^recall-\w+=\w{26}; Path=/;( Max-Age=\d+;)? HttpOnly; SameSite=Strict$`).MatchString(cookie) {
		t.Errorf("the cookie is %q", cookie)
	}
	ask(stranger, "GET", "/?token="+at.Query().Get("token"), http.StatusForbidden) // it was used
	if page := ask(in, "GET", "/sessions", http.StatusOK); !strings.Contains(page, "retries use jittered backoff") {
		t.Errorf("the sessions aren't listed:\n%s", page)
	}
	ask(in, "GET", "/sessions", http.StatusMisdirectedRequest, "Host", "evil.example")
	ask(in, "GET", "/sessions", http.StatusMisdirectedRequest, "Host", "127.0.0.1.evil.example")
	ask(in, "POST", "/say", http.StatusForbidden, "Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site")
	ask(in, "POST", "/say", http.StatusForbidden, "Sec-Fetch-Site", "same-site")
	ask(in, "POST", "/say", http.StatusUnprocessableEntity) // ours, but no word
	ask(in, "GET", "/say", http.StatusNotFound)
	ask(in, "GET", "/session/nosuch", http.StatusNotFound)
	ask(in, "GET", "/session/..%2f..%2fetc", http.StatusNotFound)
}

// Another run has the same port, and lets in the browser that was let in before, where it can see that the connection
// is this user's; --new-login ends that.
func TestWebStaysOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems don't tell whose a connection is")
	}
	home, recall := asProgram(t)
	tell(t, home, 1, "retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	library := filepath.Join(home, "Recall")
	run := func(args ...string) (link *url.URL, stop func()) {
		text, pid := serveWeb(t, home, library, args...)
		link, err := url.Parse(text)
		must(t, err)
		server, err := os.FindProcess(pid)
		must(t, err)
		return link, func() {
			server.Signal(os.Interrupt)
			server.Wait()
		}
	}
	first, stop := run()
	ask := enter(t, first.String())
	stop()
	again, stop := run()
	if again.Host != first.Host {
		t.Errorf("the second run listens on %s, want %s", again.Host, first.Host)
	}
	if got := ask("/sessions", nil); !strings.HasPrefix(got, "200") {
		t.Errorf("the second run answers the browser of the first one: %.100s", got)
	}
	stop()
	_, stop = run("--new-login")
	defer stop()
	if got := ask("/sessions", nil); !strings.HasPrefix(got, "403") {
		t.Errorf("a run with a new login answers the browser of the first one: %.100s", got)
	}
}

// It ends with its terminal, which hangs up, and nothing listens there any more.
func TestWebEndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("SIGHUP is ignored here, as by nohup, and so it is by what is started here")
	}
	home, recall := asProgram(t)
	tell(t, home, 1, "retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	cmd := exec.Command("recall", "--library", filepath.Join(home, "Recall"), "web")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	link, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	must(t, cmd.Process.Signal(syscall.SIGHUP))
	cmd.Wait()
	if _, err := http.Get(strings.TrimSpace(link)); err == nil {
		t.Error("it still answers")
	}
}
