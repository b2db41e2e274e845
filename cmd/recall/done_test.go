package main

import (
	"strings"
	"testing"
)

// What a session left to do and a later one of the project did on record leaves the page; what it perhaps did is
// marked.
func TestLaterWorkCloses(t *testing.T) {
	d := newDesk(t)
	d.branch = "feat/fares"
	todo := func(id string, status ...string) []any {
		var all []any
		for i, text := range []string{"Write the importer for the fares", "Draw the tariff zones on the map of the kiosk",
			"Translate the fare table into Swedish and Finnish"} {
			all = append(all, map[string]any{"content": text, "status": status[i], "activeForm": text})
		}
		call := spokenAs(map[string]any{"type": "tool_use", "id": id, "name": "TodoWrite",
			"input": map[string]any{"todos": all}})
		result := map[string]any{"type": "user", "toolUseResult": map[string]any{"oldTodos": []any{}, "newTodos": all},
			"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
				"tool_use_id": id, "content": "Todos have been modified successfully."}}}}
		return []any{call, result}
	}
	start := append([]any{typed("Bring the fares to the kiosk.")}, todo("t1", "pending", "pending", "pending")...)
	d.records(sessionA, append(start, spoken("Three things are left.")))
	d.recall("sync")
	for _, left := range []string{"importer for the fares", "tariff zones", "fare table into Swedish"} {
		if page := d.recall("resume", "harborlight"); !strings.Contains(page, left) {
			t.Errorf("%q isn't left:\n%s", left, page)
		}
	}
	commit := spokenAs(map[string]any{"type": "tool_use", "id": "c1", "name": "Bash",
		"input": map[string]any{"command": "git commit -am 'feat: translate the fare table into Swedish'"}})
	made := came("[feat/fares 1a2b3c4] feat: translate the fare table into Swedish\n 1 file changed")
	made["message"].(map[string]any)["content"].([]any)[0].(map[string]any)["tool_use_id"] = "c1"
	zones := spokenAs(map[string]any{"type": "tool_use", "id": "c2", "name": "Bash",
		"input": map[string]any{"command": "git commit -am 'Write the importer for the fares'"}})
	drew := came("[feat/fares 2a2b3c4] Write the importer for the fares\n 1 file changed")
	drew["message"].(map[string]any)["content"].([]any)[0].(map[string]any)["tool_use_id"] = "c2"
	d.records(sessionB, []any{typed("Go on with the fares."), commit, made, zones, drew, spoken("Committed.")})
	d.recall("sync")
	page := d.recall("resume", "harborlight")
	if strings.Contains(page, "“Write the importer for the fares” — task left open, turn 2 (session 1") {
		t.Errorf("what was committed is left:\n%s", page)
	}
	const open = "“Draw the tariff zones on the map of the kiosk” — task left open, turn 2 (session 1, "
	if !strings.Contains(page, open) {
		t.Errorf("what nobody did isn't left:\n%s", page)
	}
	if !strings.Contains(page, "Swedish and Finnish” — task left open, turn 2 (session 1, ") ||
		strings.Count(page, "; perhaps done since, ") != 1 {
		t.Errorf("what was perhaps done isn't marked:\n%s", page)
	}
}
