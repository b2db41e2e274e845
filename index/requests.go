package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
)

// A session's requests are packed into one row: a JSON list of the models' names, a line end, then seven numbers per
// request: its time in seconds, the place of its model, and those of its Usage.

// packRequests encodes that row, nil if there are no requests.
func packRequests(all []ingest.Request) []byte {
	if len(all) == 0 {
		return nil
	}
	var models []string
	var numbers []int64
	for _, r := range all {
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
		u := r.Usage
		numbers = append(numbers, millis(r.At)/1000, int64(slices.Index(models, r.Model)), u.Input, u.Output,
			u.CacheWrite, u.CacheHour, u.CacheRead)
	}
	head, _ := json.Marshal(models) // neither can fail
	data, _ := binary.Append(append(head, '\n'), binary.LittleEndian, numbers)
	return pack(string(data))
}

// Requests calls do for every request to a model, session by session; times are in whole seconds.
func (x *Index) Requests(ctx context.Context, do func(session string, r ingest.Request)) error {
	err := scan(ctx, x.db, func(rows *sql.Rows) error {
		var id, data string
		if err := rows.Scan(&id, packed{&data}); err != nil {
			return err
		}
		head, rest, _ := strings.Cut(data, "\n")
		var models []string
		numbers := make([]int64, len(rest)/8)
		_, err := binary.Decode([]byte(rest), binary.LittleEndian, numbers)
		if bad := json.Unmarshal([]byte(head), &models); bad != nil || err != nil {
			return fmt.Errorf("requests of unknown form: %w", ErrRebuild)
		}
		for r := range slices.Chunk(numbers, 7) {
			do(id, ingest.Request{At: fromMillis(r[0] * 1000), Model: models[r[1]], Usage: ingest.Usage{Input: r[2],
				Output: r[3], CacheWrite: r[4], CacheHour: r[5], CacheRead: r[6]}})
		}
		return nil
	}, `SELECT s.sid, r.data FROM request r JOIN session s ON s.id=r.session ORDER BY r.session`)
	return x.fail("read index", err)
}
