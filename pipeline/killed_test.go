package pipeline_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"recall/internal/llm"
	"recall/internal/llm/openai"
	"recall/library"
	"recall/library/calls"
	"recall/library/check"
	"recall/pipeline/improve"
)

const (
	killedDir = "RECALL_TEST_KILLED_DIR" // of the library and its cache
	killedURL = "RECALL_TEST_KILLED_URL" // of the service
)

// TestAskingProcess is what TestKilledWhileAsking runs as a process of its own.
func TestAskingProcess(t *testing.T) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		t.Skip("only run by TestKilledWhileAsking")
	}
	io.Copy(io.Discard, os.Stdin)
	p := open(t, dir)
	p.Now = func() time.Time { return day.AddDate(1, 0, 0) }
	chat, err := openai.NewChat(llm.Options{URL: os.Getenv(killedURL), Model: "small", Window: 32_000})
	if err != nil {
		t.Fatal(err)
	}
	askBy(p, llm.Patient(llm.Metered(chat, improve.NewPurse(p.Library, improve.Caps{}, p.Now), prices),
		llm.Patience{AtOnce: 1}))
	if r, err := asker(p).Run(context.Background(), improve.Options{AtOnce: 1}); err != nil || r.Waiting > 0 {
		t.Fatalf("%+v %v", r, err)
	}
}

// Killed at any request, again and again, asking goes on where it was: what was
// answered is not asked again, the ledger lacks nothing that was answered, and
// in the end all is as if nothing had happened.
func TestKilledWhileAsking(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	root, dir := t.TempDir(), t.TempDir()
	talks, _ := secretTalks(6, 0)
	for _, k := range talks {
		k.write(t, root)
	}
	l := func() *library.Library {
		p := open(t, dir)
		syncAll(t, p, root)
		p.Index.Close()
		return p.Library
	}()
	s := newService(t, 0)
	var running atomic.Pointer[os.Process]
	s.arrived = func(n int) {
		if n%3 == 0 {
			running.Load().Kill()
		}
	}
	s.hold = func(ctx context.Context) bool { // a request of a killed process isn't answered
		if s.count()%3 != 0 {
			return true
		}
		<-ctx.Done()
		return false
	}
	kills := 0
	for {
		child := exec.Command(os.Args[0], "-test.run=^TestAskingProcess$")
		child.Env = append(os.Environ(), killedDir+"="+dir, killedURL+"="+s.URL+"/v1")
		var out bytes.Buffer
		child.Stdout, child.Stderr = &out, &out
		begin, err := child.StdinPipe() // it waits until it may be killed
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		running.Store(child.Process)
		begin.Close()
		if err = child.Wait(); err == nil {
			break
		}
		if child.ProcessState.ExitCode() >= 0 && child.ProcessState.ExitCode() != 1 || kills > 30 {
			t.Fatalf("after %d kills: %v\n%s", kills, err, out.String())
		}
		kills++
	}
	if kills < 3 {
		t.Errorf("killed %d times only: this test proves nothing", kills)
	}
	for _, k := range talks {
		if len(texts(t, l, k.id, "model")) == 0 {
			t.Errorf("%s has no decision of the model's", k.id)
		}
	}
	for _, text := range s.twice() {
		t.Errorf("asked again although it was answered, %s", text)
	}
	in, out := 0, 0
	spent, err := calls.Spending(l)
	if err != nil {
		t.Error(err)
	}
	for _, line := range spent {
		in, out = in+line.In, out+line.Out
	}
	if in != s.in || out != s.out {
		t.Errorf("the ledger has %d in and %d out, the service charged %d and %d", in, out, s.in, s.out)
	}
	if v, err := check.Verify(context.Background(), l, nil); err != nil || v.Damage() > 0 {
		t.Errorf("verify: %v %+v", err, v.Findings)
	}
}
