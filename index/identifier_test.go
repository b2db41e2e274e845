package index

import (
	"fmt"
	"testing"

	"recall/payload"
)

// What programmers name is found in the forms in which they ask for it.
func TestIdentifiers(t *testing.T) {
	texts := []string{
		"Take the lock in ProcessQueue.acquire() first",
		"max_retry_count stays at five",
		"src/queue/backoff.ts holds the delays",
		"ERR_CONN_RESET from the gateway is retried, E0277 isn't",
		"Pinned to v2.1.38 because of the parser",
		"parseJSONFile reads it whole",
		"Use kebab-case-names for flags",
		"HTTP 429 backs off, 503 doesn't",
	}
	d := Doc{Session: "s", Project: "p", Start: day}
	for i, text := range texts {
		d.Items = append(d.Items, Item{Item: payload.Item{ID: payload.ItemID(fmt.Sprint(i)), Kind: payload.Decision,
			Text: text, State: payload.Stands}})
	}
	x := openWith(t, d)
	findsFirst(t, x, map[string]string{
		"processqueue acquire": "0", "ProcessQueue": "0", "process queue": "0", "acquire()": "0", "queue.acquire": "0",
		"maxRetryCount": "1", "max retry count": "1", "MAX_RETRY_COUNT": "1", "retry_count": "1",
		"backoff.ts": "2", "queue/backoff": "2", "./src/queue/backoff.ts": "2", `src\queue\backoff.ts`: "2",
		"conn reset": "3", "err_conn_reset": "3", "e0277": "3", "E0277?": "3",
		"v2.1.38": "4", "2.1.38": "4",
		"parse_json_file": "5", "json file": "5", "parsejsonfile": "5",
		"kebab case names": "6", "kebabCaseNames": "6",
		"429": "7", "why not 503": "7",
	})
}
