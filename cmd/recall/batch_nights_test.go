package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/cmd/recall/config"
	"recall/cmd/recall/demo"
	"recall/library"
	"recall/library/check"
)

// Nights by batch through each provider's own protocol, each a process of its
// own: killed when the service has the batch and recall doesn't know it, an answer
// that is lost, a batch answered in part, refused whole, expired, cancelled, read
// again after a kill, answers in any order. Every session has a payload all the
// while, nothing that was answered is asked again, the ledger has what the service
// charged at the price of batches, and the key stands nowhere.
func TestBatchNights(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	const key = "sk-planted-7Qx9Lm2Vb4Tn8Rz6Wd3K"
	for _, provider := range []string{config.ProviderOpenAI, config.ProviderAnthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			sources, home := t.TempDir(), t.TempDir()
			claude, _, err := demo.Write(sources)
			if err != nil {
				t.Fatal(err)
			}
			d := newCounter(t)
			file := filepath.Join(home, "config.yaml")
			text := fmt.Sprintf("llm: {provider: %s, url: %q, model: small, prices: [{model: %s/small, in: 1, out: 4, batch: "+
				"0.5}]}\ndistill: {batch: true}\nsources: {claude_code: [%q], cowork: []}\n",
				provider, d.URL+map[string]string{config.ProviderOpenAI: "/v1"}[provider], provider, claude)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			recall := func(args ...string) (string, int) {
				t.Helper()
				cmd := recallCmd(t, home, append([]string{"--config", file}, args...)...)
				cmd.Env = append(cmd.Env, "RECALL_LLM_KEY="+key)
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				d.running.Store(cmd.Process)
				cmd.Wait()
				fmt.Fprintf(&said, "%s: %d\n%s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), out.String())
				return out.String(), cmd.ProcessState.ExitCode()
			}
			dir, kills := filepath.Join(home, "Recall"), 0
			for night := 1; ; night++ {
				out, code := recall("sync")
				if code < 0 {
					kills++
				}
				if by := payloads(t, dir); slices.Contains(by, "none") {
					t.Errorf("night %d: a session has no payload: %q", night, by)
				}
				if code == 0 && !strings.Contains(out, "in a pending batch") && !strings.Contains(out, "wait") {
					break
				}
				if night == 30 {
					t.Fatalf("it never ends:\n%s", said.String())
				}
			}
			if by := payloads(t, dir); len(by) < 3 || slices.Contains(by, "rules") {
				t.Errorf("payloads by %q, want the model's of all that say enough\n%s", by, said.String())
			}
			if kills != 2 || len(d.batches) < 5 || !d.faults["cut"] {
				t.Errorf("%d kills, %d batches: this test proves nothing\n%s", kills, len(d.batches), said.String())
			}
			for _, key := range d.again {
				t.Errorf("%s was asked again although it was answered", key)
			}
			batched, atOnce, cost := [2]int{}, [2]int{}, 0.0
			l, err := library.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for line, err := range l.Spending() {
				sum := &atOnce
				if line.Batch {
					sum = &batched
				}
				sum[0], sum[1], cost = sum[0]+line.In, sum[1]+line.Out, cost+line.Cost
				if err != nil || line.Estimated {
					t.Errorf("%+v %v", line, err)
				}
			}
			want := (float64(d.in+4*d.out)/2 + float64(d.atOnce[0]+4*d.atOnce[1])) / 1e6
			if batched != [2]int{d.in, d.out} || atOnce != d.atOnce || math.Abs(cost-want) > 1e-9 || d.in == 0 {
				t.Errorf("the ledger has %d by batch, %d at once, $%f; the service charged %d, %d, $%f", batched, atOnce, cost,
					[2]int{d.in, d.out}, d.atOnce, want)
			}
			if v, err := check.Verify(context.Background(), l, check.Options{}); err != nil || v.Damage() > 0 {
				t.Errorf("verify: %v %+v", err, v.Findings)
			}
			recall("usage")
			if !d.keys[key] && !d.keys["Bearer "+key] {
				t.Errorf("the key didn't go out: %v", d.keys)
			}
			for where, text := range map[string][]byte{"a request": d.sent, "what was said": said.Bytes(),
				"a file": wholeOf(t, home)} {
				if bytes.Contains(text, []byte(key)) {
					t.Errorf("the key stands in %s", where)
				}
			}
			t.Logf("%d processes, %d batches", strings.Count(said.String(), "sync: "), len(d.batches))
		})
	}
}

// payloads says by what each session's payload was made.
func payloads(t *testing.T, dir string) (by []string) {
	t.Helper()
	l, err := library.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		tries, _ := l.Tries()
		switch {
		case err != nil:
			by = append(by, "none")
		case tries[e.ID].Unripe:
			by = append(by, "says too little")
		case p.Made.Model.Name == "":
			by = append(by, "rules")
		default:
			by = append(by, p.Made.Model.Name)
		}
	}
	return by
}

// wholeOf is all that stands in files below a folder.
func wholeOf(t *testing.T, dir string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(append(all, text...), '\n')
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
