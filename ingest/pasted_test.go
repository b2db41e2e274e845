package ingest_test

import (
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// What a person quotes, pastes or has a template say isn't their word; what they paste can still be found.
func TestPasted(t *testing.T) {
	for _, tt := range []struct{ name, text, own, found string }{
		{"quoted", "> We use Kafka.\n> And Avro.\nNo, NATS.", "No, NATS.", "Kafka"},
		{"fenced", "Why?\n```\nWe decided on Kafka.\n```\nUse NATS.", "Why?\nUse NATS.", "Kafka"},
		{"quoted twice", "see\n>>Kafka, always.\n>And Avro.\nuse NATS", "see\nuse NATS", "Kafka"},
		{"quoted below who wrote it", "On Mon, 16 Nov 2026, Eve <eve@example.org> wrote:\nKafka, always.\n\nuse NATS",
			"use NATS", "Kafka"},
		{"a comment", "@eve commented 2 hours ago\nKafka, always.\n\nuse NATS", "use NATS", "Kafka"},
		{"a chat with heads", "see:\nEve Lund  10:31 AM\nKafka, always.\nBo — Today at 10:32\nok\n\nuse NATS",
			"see:\n\nuse NATS", "Kafka"},
		{"a list of times", "Standup 9:30\nKafka 12:30", "Standup 9:30\nKafka 12:30", "Kafka"},
		{"a talk with a model", "it said:\n\n**User:** which?\n\n**Assistant:** Kafka.\n\nAlways.\n\n**User:** ok\n\n" +
			"use NATS", "it said:\n\n\nuse NATS", "Kafka"},
		{"an order to one", "Claude: use NATS, not Kafka", "Claude: use NATS, not Kafka", "Kafka"},
		{"a patch", "diff --git a/x b/x\n@@ -1 +1 @@\n-Use Avro.\n+Always Kafka.\nuse NATS", "use NATS", "Kafka"},
		{"a commit", "commit 3f2a9c1d\nAuthor: Eve\nDate:   Mon\n\n    Kafka, always.\n\nuse NATS", "use NATS",
			"Kafka"},
		{"another trace", "Exception in thread \"main\" x.NoSuch: Kafka, always.\n\tat x.Y(Y.java:3)\nfix it",
			"fix it", "Kafka"},
		{"a trace", "Traceback (most recent call last):\n  File \"x.py\", line 3\nRuntimeError: Kafka, always.\n\n" +
			"fix it", "fix it", "Kafka"},
		{"a program's screen", "see this:\n⏺ It is Kafka.     \n     \n  Always.     \n\nis it?",
			"see this:\nis it?", "Kafka"},
		{"blanks at the end", "Use NATS.    \nNever Redis.    \n    \n    \n  - by day\n```\nKafka\n```",
			"Use NATS.    \nNever Redis.    \n    \n    \n  - by day", "Kafka"},
		{"a fence that isn't closed", "Use NATS.\n```go\nvar kafka", "Use NATS.", "kafka"},
		{"a terminal", "this fails:\n$ make test\nwe chose Kafka\n\nfix it", "this fails:\n\nfix it", "Kafka"},
		{"another's terminal", "ann@hub:~/app$ ls -l\nkafka.go\n\nremove it", "remove it", "kafka"},
		{"a program's output", "it says\nERROR: broker Kafka is gone\n  at x.go:12\nINFO: retry\nuse NATS",
			"it says\nuse NATS", "Kafka"},
		{"a terminal's paragraphs",
			"$ go list\n# modules\n\nkafka <1.2\nSeverity: high\n\nremove it\nand:\n\n1. a/b.go\n2. c.go",
			"remove it\nand:\n\n1. a/b.go\n2. c.go", "Severity"},
		{"a chat", "see:\n[10:03] Eve: Kafka, always\n[10:04] Bo: ok\nCan we use NATS?", "see:\nCan we use NATS?",
			"always"},
		{"another chat", "Eve B., 12:01: take Kafka\nMe, 12:02: hm\n\nuse NATS", "use NATS", "Kafka"},
		{"a time", "at 10:30: stop Kafka\nuse NATS", "at 10:30: stop Kafka\nuse NATS", "Kafka"},
		{"a word after a terminal", "$ npm publish\nerror code EOTP\nI think we need to ask for Kafka first",
			"I think we need to ask for Kafka first", "EOTP"},
		{"a terminal that says I", "$ x\nI am busy with it\nstate=Kafka", "", "Kafka"},
		{"what a command printed", "it gives me this:\npacked 0.65KB kafka.json\npacked 1.1KB dist/table.d.ts\n" +
			"packed 6.16KB dist/index.js\ncan you fix it?", "it gives me this:\ncan you fix it?", "kafka"},
		{"lines of one's own", "use kafka-go 1.2 for the feed\nand pgx/v5 with it\nin cmd/feed and cmd/api", "use kafka-go 1.2 " +
			"for the feed\nand pgx/v5 with it\nin cmd/feed and cmd/api", "kafka"},
		{"answers by number", "1 a\n2 kafka\n3 c4\n4 b", "1 a\n2 kafka\n3 c4\n4 b", "kafka"},
		{"a list of files", "move these:\n- a/kafka.go\n- a/nats.go\n- b/avro.go", "move these:\n- a/kafka.go\n- a/nats.go\n" +
			"- b/avro.go", "kafka"},
		{"a fence in a chat", "```we chose Kafka\nand Avro.``` he says, ```no\nAvro```, I don't.",
			"he says, , I don't.", "Kafka"},
		{"words after a fence", "```\nKafka\n``` 昨日のmtgはここ", "昨日のmtgはここ", "Kafka"},
		{"three quotation marks", "use this:\n\"\"\"\nKafka\n\"\"\"\nand Avro", "use this:\nand Avro", "Kafka"},
		{"code in a line", "use ```Kafka``` here\nand there", "use ```Kafka``` here\nand there", "Kafka"},
		{"a mail", "see:\nFrom: Eve <eve@example.org>\nSubject: broker\n\nWe decided on Kafka.\n\nis that so?",
			"see:\nis that so?", "Kafka"},
		{"a mail that is signed", "From: Eve\nTo: Ann\n\nKafka it is.\n-- \nEve\n\nUse NATS.", "Use NATS.", "Kafka"},
		{"a mail with its greetings", "From: Eve\nTo: Ann\n\nKafka it is.\nBest regards, Eve\n\ntell her no",
			"tell her no", "Kafka"},
		{"a mail passed on", "fwd:\n---------- Forwarded message ---------\nFrom: Eve\n\nKafka, always.", "fwd:", "Kafka"},
		{"one line of a mail's head", "Subject: never Kafka\nas I said", "Subject: never Kafka\nas I said", "Kafka"},
		{"one line that looks like it", "error: never use Kafka", "error: never use Kafka", "Kafka"},
		{"a price", "$ 5 are enough for Kafka", "$ 5 are enough for Kafka", "Kafka"},
		{"a filled template", "## User Input\n\n```text\nMail a link\n```\n\nYou **MUST** consider the user input before " +
			"proceeding.\n\nWe decided on 3 questions.", "Mail a link", "Mail"},
		{"an empty one", "## User Input\n\n```text\n\n```\n\nYou **MUST** consider the user input.\n", "", ""},
	} {
		turn := ingest.Turn{Role: ingest.User, Kind: ingest.Prompt, Text: tt.text}
		ingest.MarkForeign(&turn)
		ingesttest.Equal(t, tt.name, turn.OwnText(), tt.own)
		if !strings.Contains(turn.WithPasted(), tt.found) {
			t.Errorf("%s: %q can't be found in %q", tt.name, tt.found, turn.WithPasted())
		}
	}
}
