package report

import (
	"fmt"
	"time"

	"recall/eval"
	"recall/payload"
)

// hostile is text that must come out as text.
const hostile = `</style><script>alert(1)</script><img src="https://example.org/x.png" onerror='alert(2)'> & “quotes” javascript:alert(3)`

// endless has no place to break a line.
var endless = "src/" + fmt.Sprint(time.Unix(0, 0).UTC().Format("20060102150405")) +
	"/a_very_long_path_without_any_place_to_break_it_that_goes_on_and_on_until_it_is_wider_than_every_phone.go"

func interval(v float64) eval.Interval {
	return eval.Interval{Value: v, Low: max(0, v-0.1), High: min(1, v+0.06)}
}

func rates(hits, pred, wanted int, few bool) eval.Rates {
	c := eval.Count{Hits: hits, Pred: pred, Wanted: wanted}
	return eval.Rates{Count: c, Precision: interval(c.Precision()), Recall: interval(c.Recall()), F1: interval(c.F1()),
		Few: few}
}

// inventedPayloads is a run over payloads in which every state of an item is seen.
func inventedPayloads(n int) *eval.Run {
	session := eval.SessionScore{
		Session: "7f3c1a2b-0000-4000-8000-000000000001", Title: "Retry policy <b>", Project: "billing", Tokens: 740, Cut: 2,
		Seconds: 0.012, Dropped: 1,
		Gold: []eval.GoldItem{
			{ID: "d1", Kind: payload.Decision, Text: "Retries back off exponentially with jitter, at most five.",
				Why: "fixed delays synchronised the workers", Must: true, Turns: []string{"turn-uuid-1"},
				Quote: "five tries, and put jitter on it"},
			{ID: "d2", Kind: payload.Decision, Text: "Dead jobs are kept for 30 days.", Must: true,
				Turns: []string{"turn-uuid-2"}, Quote: "keep them a month"},
			{ID: "f1", Kind: payload.Flag, Text: "The mock does not reflect the new interface.", Must: true,
				Turns: []string{"turn-uuid-3"}, Quote: "the mock will fail; expected"},
			{ID: "s1", Kind: payload.Status, Text: "All tests pass.", Must: false, Turns: []string{"turn-uuid-4"},
				Quote: "all green"},
			{ID: "x1", Kind: payload.File, Text: endless, Must: true, Turns: []string{"turn-uuid-5"}, Quote: endless},
		},
		Predicted: []eval.Predicted{
			{ID: "aaaaaaaaaa", Claim: eval.Claim{Kind: payload.Decision, Turns: []string{"turn-uuid-1"},
				Text: "Exponential backoff with jitter, at most five tries.", Rule: "accepted-plan"},
				Quote: "five tries, and put jitter on it", Grounded: true},
			{ID: "bbbbbbbbbb", Claim: eval.Claim{Kind: payload.Hypothesis, Turns: []string{"turn-uuid-3"},
				Text: "The mock may not reflect the new interface.", Rule: "cue"}, Quote: "the mock will fail; expected",
				Grounded: true},
			{ID: "cccccccccc", Claim: eval.Claim{Kind: payload.Decision, Text: hostile, Why: hostile,
				Turns: []string{"turn-uuid-9"}, Rule: "cue"}, Quote: hostile, FalseClaim: "Asynq is used as the queue."},
			{ID: "dddddddddd", Claim: eval.Claim{Kind: payload.File, Text: "retry queue", Path: endless,
				Turns: []string{"turn-uuid-5"}}, Quote: endless, Grounded: true},
		},
		Pairs: []eval.MatchedPair{{Predicted: "aaaaaaaaaa", Gold: "d1", Similarity: 0.71},
			{Predicted: "dddddddddd", Gold: "x1", Similarity: 1}},
		Lenient: []eval.MatchedPair{{Predicted: "aaaaaaaaaa", Gold: "d1", Similarity: 0.71},
			{Predicted: "dddddddddd", Gold: "x1", Similarity: 1},
			{Predicted: "bbbbbbbbbb", Gold: "f1", Similarity: 0.6}},
	}
	score := func(shift int, cost, sec float64) *eval.PayloadScore {
		return &eval.PayloadScore{
			Kinds: map[payload.Kind]eval.Rates{
				payload.Goal: rates(15-shift, 19, 20, false), payload.Decision: rates(60-2*shift, 92, 160, false),
				payload.Eliminated: rates(10, 13, 39, false),
				payload.File:       rates(80-shift, 92, 90, false), payload.Next: rates(9-shift/2, 18, 17, false),
				payload.Deferred: rates(1, 3, 4, true),
			},
			Micro: rates(175-4*shift, 237, 330, false), Lenient: rates(190-4*shift, 237, 330, false), Grounding: interval(0.93),
			Tokens: 712, Cut: 31, Seconds: sec, Cost: cost, FalseClaim: 3, Sessions: []eval.SessionScore{session},
		}
	}
	at := time.Date(2026, 5, 1+n, 9, 30, 0, 0, time.UTC)
	return &eval.Run{
		Schema: eval.RunSchema, What: "payloads", At: at, Recall: "0.9", Revision: fmt.Sprintf("0123456789abcdef%d+", n),
		Command: []string{"recall", "eval", "payloads"},
		Gold:    eval.GoldRef{Name: "billing", Hash: "feed", Sessions: 20, Items: 402, Must: 330, Pairs: 300},
		Missing: []string{"7f3c1a2b-0000-4000-8000-00000000000f"}, Problems: []eval.Problem{{File: "gold/retry.gold.json",
			Item: "d1", What: `unknown field "noet"`}},
		Agreement: &eval.Agreement{Judge: "words/1", Threshold: 0.31, Pairs: 300, Agree: 288, Same: 150, SameFound: 141,
			Forms: map[string]eval.KofN{"negated": {K: 140, N: 150, Low: 0.88, High: 0.96},
				"swapped": {K: 120, N: 150, Low: 0.73, High: 0.86}},
			Wrong: []eval.DisagreedOnPair{{A: "Use a heap.", B: "Never use a heap.", Similarity: 0.5}}},
		Systems: []eval.System{
			{Name: "offline", Payloads: score(20-3*n, 0, 0.012)},
			{Name: "model", Model: "a-model-of-some-name", Payloads: score(0, 0.031*float64(n+1), 14)},
			{Name: "last assistant message", Baseline: true, Payloads: score(38, 0, 0.0004)},
			{Name: "compaction summary", Baseline: true, Payloads: score(35, 0, 0.0004)},
			{Name: "first and last user messages", Baseline: true, Payloads: score(40, 0, 0.0004)},
		},
	}
}

// inventedQuestions is a run over questions in which every outcome is seen.
func inventedQuestions(n int) *eval.Run {
	rates := func(v float64) eval.QuestionRates {
		i := interval(v)
		return eval.QuestionRates{N: 30, Hit1: i, Hit5: interval(v + 0.2), Hit20: interval(v + 0.3),
			Recall5: interval(v + 0.1), MRR: interval(v + 0.1), NDCG10: interval(v + 0.12), Session1: i, Session5: i,
			Session: i, Answer1: i}
	}
	score := func(v float64) *eval.QuestionScore {
		return &eval.QuestionScore{All: rates(v), Paraphrased: rates(v - 0.2), Plain: rates(v + 0.1),
			Stale: eval.KofN{K: 1, N: 6, Low: 0.03, High: 0.56}, Abstained: eval.KofN{K: 4, N: 5, Low: 0.38, High: 0.96},
			Refused: eval.KofN{N: 30, High: 0.11}, Seconds: 0.008,
			Questions: []eval.QuestionsMade{
				{ID: "q1", Q: "what did we decide about retries?", Expect: []string{"7f3c#d1"}, Items: []string{"7f3c#d1"},
					Ranks: []int{1}, Answer1: true, First: "Retries back off exponentially."},
				{ID: "q2", Q: hostile, Expect: []string{"7f3c#d1"}, Ranks: []int{4}, First: hostile},
				{ID: "q3", Q: "who keeps the dead?", Paraphrase: true, Expect: []string{"7f3c#d2"}, Ranks: []int{0}},
				{ID: "q4", Q: "which font?", Expect: []string{}, Refused: true},
				{ID: "q5", Q: "kubernetes?", Expect: []string{}, First: "Jobs run in ledgerd."},
				{ID: "q6", Expect: []string{"7f3c#d2"}, Ranks: []int{2}, StaleFirst: true},
			}}
	}
	return &eval.Run{Schema: eval.RunSchema, What: "questions", At: time.Date(2026, 5, 1+n, 10, 0, 0, 0, time.UTC),
		Recall: "0.9",
		Gold:   eval.GoldRef{Name: "billing", Hash: "feed", Sessions: 20, Items: 402, Must: 330, Asked: 36},
		Systems: []eval.System{{Name: "recall, offline", Questions: score(0.45 + 0.02*float64(n))},
			{Name: "BM25 over messages", Baseline: true, Questions: score(0.3)},
			{Name: "oracle", Baseline: true, Questions: score(0.6)}}}
}
