package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mcpAsks [TOOL] ARGUMENTS starts recall mcp, calls a tool, recall_query unless another is named, and prints its
// answer.
func mcpAsks(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 1 {
		args = []string{"recall_query", args[0]}
	}
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mcp-asks [TOOL] ARGUMENTS")
	}
	var cmd *exec.Cmd
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, "recall")); err == nil {
			cmd = exec.Command(path, "mcp")
			break
		}
	}
	for _, name := range []string{"HOME", "USERPROFILE", "SYSTEMROOT", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
		"LocalAppData", "AppData", "RECALL_LIBRARY_DIR", "RECALL_LLM_PROVIDER", "RECALL_LLM_MODEL",
		"RECALL_LLM_URL", "RECALL_LLM_KEY", "RECALL_QUERY_RERANK", "RECALL_QUERY_SYNC", "RECALL_QUERY_MODEL_TIMEOUT"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Dir = ts.MkAbs(".")
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer cmd.Wait()
	defer in.Close()
	fmt.Fprintf(in,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"x","version":"1"}}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", args[0], args[1])
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		ts.Check(err)
		if !strings.Contains(line, `"id":2`) {
			continue
		}
		var said struct {
			Result struct {
				Content []struct{ Text string } `json:"content"`
			} `json:"result"`
		}
		ts.Check(json.Unmarshal([]byte(line), &said))
		for _, c := range said.Result.Content {
			fmt.Fprintln(ts.Stdout(), c.Text)
		}
		return
	}
}
