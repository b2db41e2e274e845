package schedule

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata anew")

// plan has all that a path or a variable may hold to trip a scheduler up.
var plan = Plan{
	Binary: "/home/ann o'neil/bin/re call", Config: "/home/ann o'neil/.config/recall/config.yaml",
	Library: `/data/50% "$HOME"\Recall`,
	User:    `DESK\ann & co`, Env: []string{"PATH=/usr/bin:/bin", "RECALL_QUERY_LIMIT=7", "XDG_CACHE_HOME=/tmp/a b"},
	At: Clock{2, 30},
}

// What is written for each system, on every system.
func TestGolden(t *testing.T) {
	for name, files := range map[string][]File{"systemd": Files(Systemd, plan), "launchd": Files(Launchd, plan),
		"windows": Files(Windows, plan),
		"cron":    {{"crontab", Crontab("MAILTO=ann\n", plan)}}} {
		got := ""
		for _, f := range files {
			got += "-- " + f.Name + " --\n" + f.Text
		}
		path := filepath.Join("testdata", name+".txtar")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The lines of a crontab, run by a shell, give recall the very arguments of the plan.
func TestShellGivesTheArguments(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("skipped: no sh here")
	}
	p := plan
	p.Binary = filepath.Join(t.TempDir(), "re call")
	if err := os.WriteFile(p.Binary, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" \"$XDG_CACHE_HOME\" >\"$0.out\"\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(sh, "-c", ShellLine(p, Jobs[0])).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(p.Binary + ".out")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(append(p.Command(Cron, Jobs[0])[1:], "/tmp/a b"), "\n") + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

// Units are such that systemd takes them, where there is one to ask.
func TestUnitsVerify(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("skipped: no systemd-analyze here")
	}
	dir := t.TempDir()
	p := plan
	p.Binary = "/bin/true"
	var paths []string
	for _, f := range Files(Systemd, p) {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	c := exec.Command(tool, append([]string{"--user", "verify"}, paths...)...)
	c.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	out, err := c.CombinedOutput()
	if err != nil || strings.Contains(string(out), dir) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

func TestXMLParses(t *testing.T) {
	for _, f := range append(Files(Launchd, plan), Files(Windows, plan)...) {
		d := xml.NewDecoder(strings.NewReader(strings.Replace(f.Text, `encoding="UTF-16"`, `encoding="UTF-8"`, 1)))
		text := ""
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if c, ok := token.(xml.CharData); ok {
				text += string(c)
			}
		}
		if !strings.Contains(text, "50%") || !strings.Contains(text, "re call") {
			t.Errorf("%s has lost an argument:\n%s", f.Name, text)
		}
	}
}

func TestCrontabIsUndone(t *testing.T) {
	for _, before := range []string{"", "MAILTO=ann\n", "# a\n\n0 * * * * date\n"} {
		once := Crontab(before, plan)
		if twice := Crontab(once, Plan{Binary: "/r", Library: "/l"}); strings.Count(twice, cronBegin) != 1 ||
			strings.Contains(twice, "o'") {
			t.Errorf("a second install of %q gives\n%s", before, twice)
		}
		if rest, had := WithoutCron(once); rest != before || !had {
			t.Errorf("removed from %q: %q, %v", before, rest, had)
		}
	}
	torn := "a\n" + cronBegin + "\nb\n"
	if rest, had := WithoutCron(torn); rest != torn || had {
		t.Errorf("a block without its end: %q, %v, want it left alone", rest, had)
	}
}

func TestClock(t *testing.T) {
	for s, ok := range map[string]bool{"02:30": true, "2:5": true, "23:59": true, "24:00": false, "02:60": false,
		"2": false, "02:30:00": false, "-1:30": false, "": false, "noon": false} {
		if _, err := ParseClock(s); (err == nil) != ok {
			t.Errorf("%q: %v", s, err)
		}
	}
	at := Clock{2, 30}
	now := time.Date(2026, 4, 17, 1, 0, 0, 0, time.UTC)
	if got := at.Last(now); got.Day() != 16 || got.Hour() != 2 {
		t.Errorf("last before %v: %v", now, got)
	}
	if got := at.Next(now); got.Day() != 17 || got.Minute() != 30 {
		t.Errorf("next after %v: %v", now, got)
	}
}

// A log that has become large is set aside, and one of those is kept.
func TestLogRotates(t *testing.T) {
	dir := t.TempDir()
	large := strings.Repeat("x", logSize)
	for range 6 {
		if err := Log(dir, "sync", large); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 2 {
		t.Errorf("got %v, %v, want the log and the one before it", names, err)
	}
	fi, err := os.Stat(LogPath(dir, "sync"))
	if err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want 0600", fi.Mode(), err)
	}
}
