package claudecode

import (
	"cmp"
	"slices"
	"strconv"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// tasks tracks the session's lists. A session continued in a newer client has two: todos, written as a whole, and
// tasks, written one by one; neither mentions the other.
type tasks struct{ todos, list []ingest.Task }

// all returns both lists; a task replaces the todo that it was made from.
func (t *tasks) all() []ingest.Task {
	todos := slices.DeleteFunc(t.todos, func(todo ingest.Task) bool {
		return slices.ContainsFunc(t.list, func(task ingest.Task) bool { return task.Subject == todo.Subject })
	})
	return append(todos, t.list...)
}

// apply applies a call to the lists.
func (t *tasks) apply(call *ingest.ToolCall, raw []byte, text string, turn ingest.TurnID) {
	switch call.Name {
	case "TodoWrite":
		t.todos = ingest.Relist(t.todos, ingest.Todos(raw, "newTodos", "content", turn))
	case "TaskCreate":
		t.create(call, raw, text, turn)
	case "TaskUpdate":
		t.update(call, turn)
	}
}

var taskNumber = text.Pattern(`Task #(\S+) created`)

func (t *tasks) create(call *ingest.ToolCall, raw []byte, text string, turn ingest.TurnID) {
	task := ingest.Task{Subject: call.Input["subject"], Status: "pending", Turn: turn}
	jsonl.ReadFields(raw, jsonl.Fields{"task": jsonl.Fields{"id": &task.ID}})
	if m := taskNumber().FindStringSubmatch(text); m != nil {
		task.ID = cmp.Or(task.ID, m[1])
	}
	task.ID = cmp.Or(task.ID, strconv.Itoa(len(t.list)+1))
	t.list = append(slices.DeleteFunc(t.list, func(had ingest.Task) bool { return had.ID == task.ID }), task)
}

func (t *tasks) update(call *ingest.ToolCall, turn ingest.TurnID) {
	i := slices.IndexFunc(t.list, func(task ingest.Task) bool { return task.ID == call.Input["taskId"] })
	if i < 0 {
		return
	}
	task := &t.list[i]
	task.Turn = turn
	task.Subject = cmp.Or(call.Input["subject"], task.Subject)
	if task.Status = cmp.Or(call.Input["status"], task.Status); task.Status == "deleted" {
		t.list = slices.Delete(t.list, i, i+1)
	}
}
