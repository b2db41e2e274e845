package library_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	"recall/library/calls"
	"recall/library/check"
	"recall/library/forget"
	"recall/library/merge"
)

// The ledger takes lines from many at once, tells of torn and changed ones by
// their number, and gives all the others.
func TestUsage(t *testing.T) {
	l := newLib(t)
	if got, err := calls.Spending(l); len(got) > 0 || err != nil {
		t.Fatal("a ledger that isn't there has a line:", got, err)
	}
	at := time.Date(2026, 4, 17, 2, 0, 0, 1, time.UTC)
	first := calls.Usage{At: at, Task: "extract", Session: "a", Project: "p", Model: "m/x", In: 10, CacheRead: 2, Out: 3,
		Cost: 0.001}
	if err := calls.Spend(l, first); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(l.Dir(), UsageName)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"at":"2026-04-17T02:00:00Z","task":"ext`) // cut off by a crash
	f.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			failed := calls.Usage{At: at, Task: "reconcile", Model: "m/x", In: 1, Out: 1, Fault: "rate limited"}
			if err := calls.Spend(l, failed); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, bad := calls.Spending(again(t, l))
	if len(got) != 21 || bad == nil || !strings.Contains(bad.Error(), "usage.jsonl:2:") {
		t.Fatalf("got %d lines and %q, want 21 and a fault of line 2", len(got), bad)
	}
	if diff := cmp.Diff(first, got[0]); diff != "" {
		t.Error(diff)
	}
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, bytes.Replace(text, []byte(`"in":10`), []byte(`"in":70`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := calls.Spending(l); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed first line: got %v, want ErrDamaged", err)
	}
	v, err := check.Verify(context.Background(), l, nil)
	if err != nil || v.Damage() != 1 {
		t.Errorf("verify: %v %+v, want the ledger damaged", err, v.Findings)
	}
}

// An answer is there for another process as it was kept, a damaged one isn't and
// is found by verify; keys are no paths.
func TestAnswers(t *testing.T) {
	l := newLib(t)
	const key = "extract-0123abc"
	if _, ok, err := l.Answer(key); ok || err != nil {
		t.Fatal(ok, err)
	}
	want := []byte(`{"items":[` + strings.Repeat(`"we use sqlite",`, 1000) + `""]}`)
	if err := errors.Join(l.KeepAnswer(key, []byte("old")), l.KeepAnswer(key, want)); err != nil {
		t.Fatal(err)
	}
	got, ok, err := again(t, l).Answer(key)
	if err != nil || !ok || !bytes.Equal(got, want) {
		t.Fatalf("got %q %v %v", got, ok, err)
	}
	for _, bad := range []string{"", "ab", "../../x", "A23", strings.Repeat("a", 65)} {
		if err := l.KeepAnswer(bad, want); err == nil {
			t.Errorf("key %q was taken", bad)
		}
	}
	path, _ := AnswerPath(l, key)
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 && filepath.Separator == '/' || fi.Size() > 500 {
		t.Errorf("%v %v: want a small file that only its owner reads", fi, err)
	}
	packed, _ := os.ReadFile(path)
	packed[len(packed)/2] ^= 0x20
	if err := os.WriteFile(path, packed, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := l.Answer(key); ok || err != nil {
		t.Errorf("a damaged answer: got %v %v, want none", ok, err)
	}
	if v, err := check.Verify(context.Background(), l, nil); err != nil || v.Damage() != 1 {
		t.Errorf("verify: %v %+v", err, v.Findings)
	}
	v, err := check.Verify(context.Background(), l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := check.Repair(context.Background(), l, v.Findings, nil); err != nil {
		t.Fatal(err)
	}
	if v, err := check.Verify(context.Background(), l, nil); err != nil || len(v.Findings) > 0 {
		t.Errorf("after repair: %v %+v", err, v.Findings)
	}
}

// Of a session that is tried again the last line counts; forgetting it takes
// them out; only one process asks at a time.
func TestTries(t *testing.T) {
	l := newLib(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "transcript.jsonl"), "{}\n")
	if _, err := l.Archive(context.Background(), find(t, "a", dir)); err != nil {
		t.Fatal(err)
	}
	done, err := calls.Alone(l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := calls.Alone(again(t, l)); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one: %v, want ErrBusy", err)
	}
	at := time.Date(2026, 4, 17, 2, 0, 0, 0, time.UTC)
	for i := range 12 {
		failed := calls.Try{Session: "a", Input: "i", At: at.Add(time.Duration(i) * time.Hour), Failed: i}
		if err := calls.NoteTry(l, failed); err != nil {
			t.Fatal(err)
		}
	}
	done()
	if done, err = calls.Alone(again(t, l)); err != nil {
		t.Fatal(err)
	}
	done()
	tries, err := calls.Tries(l)
	if err != nil || len(tries) != 1 || tries["a"].Failed != 11 {
		t.Errorf("got %v %v, want a, failed 11 times", tries, err)
	}
	// A clock that was a year ahead doesn't hide what comes after it was set.
	ahead := calls.Try{Session: "a", Input: "i", At: time.Now().AddDate(1, 0, 0), Failed: 12}
	if err := errors.Join(calls.NoteTry(l, ahead), calls.NoteTry(l, calls.Try{Session: "a", Input: "i", At: time.Now(),
		Failed: 13})); err != nil {
		t.Fatal(err)
	}
	if tries, err := calls.Tries(l); err != nil || tries["a"].Failed != 13 {
		t.Errorf("after a clock that was ahead: got %v %v, want the last line", tries, err)
	}
	if v, err := check.Verify(context.Background(), l, nil); err != nil || len(v.Findings) > 0 {
		t.Errorf("verify: %v %+v", err, v.Findings)
	}
	if err := errors.Join(l.KeepAnswer("abc", []byte("x")), l.KeepAnswer("of-a", []byte(`{"of":["b","a"]}`)),
		l.KeepAnswer("of-b", []byte(`{"of":["b"]}`))); err != nil {
		t.Fatal(err)
	}
	copied, err := Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if err := copied.MarkForgotten([]ingest.SessionID{"a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := merge.Merge(context.Background(), copied, l, merge.Options{}); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"abc": false, "of-a": false, "of-b": true} {
		if _, ok, _ := copied.Answer(key); ok != want {
			t.Errorf("answer %s beside a session that was forgotten here: came over %v", key, ok)
		}
	}
	if err := forget.Sessions(l, []ingest.SessionID{"a"}, nil); err != nil {
		t.Fatal(err)
	}
	if tries, err := calls.Tries(l); err != nil || len(tries) != 0 {
		t.Errorf("after forgetting: %v %v", tries, err)
	}
	if _, ok, _ := l.Answer("abc"); ok {
		t.Error("an answer is left after forgetting")
	}
}
