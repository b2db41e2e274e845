package claudecode

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// tasks tracks the session's lists. A session continued in a newer client has two: todos, written as a whole, and
// tasks, written one by one; neither mentions the other.
type tasks struct {
	todos   []ingest.Task
	list    []ingest.Task
	touched bool
}

// all returns both lists; a task replaces the todo that it was made from.
func (t *tasks) all() []ingest.Task {
	var out []ingest.Task
	for _, todo := range t.todos {
		if !slices.ContainsFunc(t.list, func(task ingest.Task) bool { return task.Subject == todo.Subject }) {
			out = append(out, todo)
		}
	}
	return append(out, t.list...)
}

// apply applies a call to the list.
func (t *tasks) apply(call *ingest.ToolCall, raw []byte, text string, turn ingest.TurnID) {
	switch call.Name {
	case "TodoWrite":
		var todos []byte
		jsonl.ReadFields(raw, jsonl.Fields{"newTodos": &todos})
		list := readTodos(todos)
		if list == nil {
			list = readTodos([]byte(call.Input["todos"]))
		}
		if list != nil {
			t.replace(list, turn)
		}
	case "TaskCreate":
		t.create(call, raw, text, turn)
	case "TaskUpdate":
		t.update(call, turn)
	case "TaskList", "TaskGet":
		t.listed(raw, turn)
	}
}

// replace sets all todos; unchanged ones keep their last touch. Prompts carry an empty list where there never was one.
func (t *tasks) replace(list []ingest.Task, turn ingest.TurnID) {
	if len(list) == 0 && len(t.todos) == 0 {
		return
	}
	for i := range list {
		list[i].Turn = turn
	}
	t.todos, t.touched = ingest.Relist(t.todos, list), true
}

var taskNumber = text.Pattern(`Task #(\S+) created`)

func (t *tasks) create(call *ingest.ToolCall, raw []byte, text string, turn ingest.TurnID) {
	task := ingest.Task{Subject: call.Input["subject"], Status: "pending", Turn: turn}
	c := jsonl.NewCursor(raw)
	c.Fields(jsonl.Fields{"task": func() {
		got := readTask(c)
		task.ID, task.Subject = got.ID, cmp.Or(task.Subject, got.Subject)
	}})
	if m := taskNumber().FindStringSubmatch(text); m != nil && task.ID == "" {
		task.ID = m[1]
	}
	if task.ID == "" {
		task.ID = strconv.Itoa(len(t.list) + 1)
	}
	t.set(task)
}

// set adds a task or replaces the one with its id.
func (t *tasks) set(task ingest.Task) {
	t.touched = true
	i := slices.IndexFunc(t.list, func(have ingest.Task) bool { return have.ID == task.ID && task.ID != "" })
	if i >= 0 {
		t.list[i] = task
	} else {
		t.list = append(t.list, task)
	}
}

func (t *tasks) update(call *ingest.ToolCall, turn ingest.TurnID) {
	i := slices.IndexFunc(t.list, func(task ingest.Task) bool { return task.ID == call.Input["taskId"] })
	if i < 0 {
		return
	}
	task := &t.list[i]
	task.Turn = turn
	task.Subject = cmp.Or(call.Input["subject"], task.Subject)
	if task.Status = cmp.Or(call.Input["status"], task.Status); call.Input["status"] == "deleted" {
		t.list = slices.Delete(t.list, i, i+1)
	}
}

// listed takes a listing as the truth about the tasks in it.
func (t *tasks) listed(raw []byte, turn ingest.TurnID) {
	c := jsonl.NewCursor(raw)
	c.Fields(jsonl.Fields{"tasks": func() { t.remind(c, turn) }, "task": func() { t.see(readTask(c), turn) }})
}

// remind takes a reminder: an array of tasks in their state at the time.
func (t *tasks) remind(c *jsonl.Cursor, turn ingest.TurnID) {
	c.Array(func() { t.see(readTask(c), turn) })
}

// remindTodos takes a reminder of the todos.
func (t *tasks) remindTodos(c *jsonl.Cursor, turn ingest.TurnID) {
	of := tasks{list: t.todos}
	of.remind(c, turn)
	t.todos, t.touched = of.list, t.touched || of.touched
}

func (t *tasks) see(task ingest.Task, turn ingest.TurnID) {
	if task.Subject == "" {
		return
	}
	i := slices.IndexFunc(t.list, func(have ingest.Task) bool {
		return have.ID == task.ID && (task.ID != "" || have.Subject == task.Subject)
	})
	if i < 0 {
		task.Turn, task.Status = turn, cmp.Or(task.Status, "pending")
		t.set(task)
	} else if have := &t.list[i]; task.Status != "" && task.Status != have.Status {
		have.Status, have.Turn = task.Status, turn
	}
}

// readTask reads a task or todo in any of its forms.
func readTask(c *jsonl.Cursor) (t ingest.Task) {
	c.Fields(jsonl.Fields{"id": &t.ID, "taskId": &t.ID, "subject": &t.Subject, "content": &t.Subject,
		"status": &t.Status})
	t.Subject = strings.TrimSpace(t.Subject)
	return t
}

// readTodos reads an array of todos; nil if raw isn't one.
func readTodos(raw []byte) []ingest.Task {
	c := jsonl.NewCursor(raw)
	if c.Kind() != '[' {
		return nil
	}
	list := []ingest.Task{}
	c.Array(func() {
		if t := readTask(c); t.Subject != "" {
			list = append(list, t)
		}
	})
	return list
}
