package offline

import (
	"slices"
	"strings"

	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

var (
	testers = text.Set("pytest jest vitest mocha rspec phpunit ctest tox nox bats unittest nextest")
	// runners run tests if they are told to, by one of the asked.
	asked   = text.Set("test tests test:unit test:integration test:e2e test:ci test:all")
	runners = text.Set(`go cargo npm pnpm yarn bun bunx npx make just mise task gradle gradlew mvn mvnw dotnet deno mix
		swift flutter dart rake rails bundle poetry uv pipenv python python3 composer sbt bazel xcodebuild zig`)
	// failures matches what test runners print of tests that failed.
	failures = text.Pattern(`(?m)^(?:--- )?FAIL\b|^FAILED\b|^not ok\b|\btest result: FAILED|` +
		`\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|\bfailures?[:=] ?[1-9]`)
)

// runsTests reports whether a command runs tests, all or some.
func runsTests(st trace.Step) bool {
	words := append([]string{st.Program[strings.LastIndexByte(st.Program, '/')+1:]}, st.Args...)
	return testers[words[0]] || runners[words[0]] && slices.ContainsFunc(words[1:], func(w string) bool {
		return testers[w] || asked[w]
	})
}

// lastTests tells how the tests last ran: if some failed, or files were changed since. What a sub-agent ran isn't the
// session's to quote.
func (t *talk) lastTests() (it payload.Item, ok bool) {
	if t.tested == nil || t.tested.Agent != "" {
		return it, false
	}
	c := t.tested.Call
	failed, since := c.Failed || failures().MatchString(c.Result), t.lastChange > t.tested.N
	turn := t.session.TurnAt(t.tested.N)
	if turn == nil || !failed && !since {
		return it, false
	}
	tests := t.tested.Steps[slices.IndexFunc(t.tested.Steps, runsTests)].Program
	quote := strings.TrimSpace(c.Command)
	for line := range strings.Lines(quote) {
		if quote = strings.TrimSpace(line); slices.Contains(strings.Fields(line), tests) { // not the "cd" above it
			break
		}
	}
	quote, _, _ = strings.Cut(quote, " 2>&1")
	it = recorded(payload.Lead, payload.TestRule, payload.ByAssistant, turn, text.Clip(quote, maxCommand), quote)
	it.Why, it.Confidence = "last run of tests, no failure seen", commitWeight
	if failed {
		it.Why = "last run of tests, failed"
	}
	if since {
		it.Since = payload.FilesSince
	}
	return it, true
}
