package eval

import (
	"time"

	"recall/payload"
)

// RunSchema is the version of the run file format.
const RunSchema = 1

// Run is one measurement, kept as one JSON file: what was measured, with what, and everything behind each figure.
type Run struct {
	Schema    int               `json:"schema"`
	What      string            `json:"what"`     // "payloads", "questions" or "pages"
	At        time.Time         `json:"at"`       // when it was made
	Recall    string            `json:"recall"`   // version of the program
	Revision  string            `json:"revision"` // of the source, "+" at its end if changed since; empty if unknown
	Command   []string          `json:"command"`
	Config    map[string]string `json:"config"`            // settings that shape the result
	Prompts   map[string]string `json:"prompts,omitempty"` // name to version
	Gold      GoldRef           `json:"gold"`
	Agreement *Agreement        `json:"agreement,omitempty"` // of the judge with labelled pairs, if there are any
	Systems   []System          `json:"systems"`             // the one under test first, then baselines and the oracle
	Missing   []string          `json:"missing,omitempty"`   // gold sessions without a transcript: in no figure
	Problems  []Problem         `json:"problems,omitempty"`  // oddities of gold sets and transcripts
}

// GoldRef names the gold that a run was measured against.
type GoldRef struct {
	Name     string `json:"name"` // of the folder
	Hash     string `json:"hash"` // of its files
	Sessions int    `json:"sessions"`
	Items    int    `json:"items"`
	Must     int    `json:"must"`
	Pairs    int    `json:"pairs"` // labelled
	Asked    int    `json:"asked"` // questions
}

// System is one way of making payloads or of answering, with its results. Exactly one of Payloads,
// Questions and Pages is set.
type System struct {
	Name      string         `json:"name"`            // "offline", "last assistant message", "oracle", …
	Model     string         `json:"model,omitempty"` // behind it, if any
	Baseline  bool           `json:"baseline,omitempty"`
	Oracle    bool           `json:"oracle,omitempty"` // searches what people wrote
	Payloads  *PayloadScore  `json:"payloads,omitempty"`
	Questions *QuestionScore `json:"questions,omitempty"`
	Pages     *PageScore     `json:"pages,omitempty"`
}

// Floor returns what randomly drawn sentences reach; nil in runs that drew none.
func (r *Run) Floor() *PayloadScore {
	for i := range r.Systems {
		if r.Systems[i].Name == Drawn {
			return r.Systems[i].Payloads
		}
	}
	return nil
}

// Interval is a figure with its bootstrap 95 % interval over sessions (or questions).
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Rates are the figures of a count.
type Rates struct {
	Count
	Precision Interval `json:"precision"`
	Recall    Interval `json:"recall"`
	F1        Interval `json:"f1"`
	Few       bool     `json:"few,omitempty"` // fewer than 10 must items: shown as counts, not F1
}

// PayloadScore is how payloads compare with gold sets.
type PayloadScore struct {
	Kinds      map[payload.Kind]Rates `json:"kinds"` // strict
	Micro      Rates                  `json:"micro"` // strict, over all kinds
	Lenient    Rates                  `json:"lenient"`
	Grounding  Interval               `json:"grounding"`   // share of items whose quotes occur in the cited turns
	FalseClaim int                    `json:"false_claim"` // items more like an entry of "not" than like gold
	Tokens     float64                `json:"tokens"`      // of payload.md, mean per session
	Cut        int                    `json:"cut"`         // items cut from payload.md by its budget
	Seconds    float64                `json:"seconds"`     // mean per session
	Cost       float64                `json:"cost"`        // US dollars, mean per session; 0 without a model
	Sessions   []SessionScore         `json:"sessions"`
}

// SessionScore is one session's part of a PayloadScore: enough to trace and recompute every figure.
type SessionScore struct {
	Session   string        `json:"session"`
	Title     string        `json:"title,omitempty"`
	Project   string        `json:"project"` // folder of the gold set
	Gold      []GoldItem    `json:"gold"`
	Predicted []Predicted   `json:"predicted"`
	Pairs     []MatchedPair `json:"pairs"`   // strict
	Lenient   []MatchedPair `json:"lenient"` // any kind
	Tokens    int           `json:"tokens"`
	Cut       int           `json:"cut"`
	Seconds   float64       `json:"seconds"`
	Cost      float64       `json:"cost"`
	Dropped   int           `json:"dropped"` // items that grounding dropped
}

// Predicted is an item of a payload as a run keeps it.
type Predicted struct {
	ID payload.ItemID `json:"id"`
	Claim
	Quote      string `json:"quote,omitempty"`
	Grounded   bool   `json:"grounded"`
	FalseClaim string `json:"false_claim,omitempty"` // the entry of "not" that it is like
}

// MatchedPair names a predicted and a gold item that count as one fact.
type MatchedPair struct {
	Predicted  payload.ItemID `json:"predicted"`
	Gold       string         `json:"gold"`
	Similarity float64        `json:"similarity"`
}

// Agreement is how far a judge agrees with people.
type Agreement struct {
	Judge     string  `json:"judge"` // "words/1", or a model's name
	Threshold float64 `json:"threshold"`
	Pairs     int     `json:"pairs"`
	Agree     int     `json:"agree"`
	Same      int     `json:"same"`       // pairs labelled the same
	SameFound int     `json:"same_found"` // of these, judged the same

	Wrong []DisagreedOnPair `json:"wrong,omitempty"`
}

// DisagreedOnPair is a labelled pair that the judge saw differently.
type DisagreedOnPair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Same       bool    `json:"same"` // as people labelled it
	Similarity float64 `json:"similarity"`
}

// KofN is a count out of a whole, with its 95 % interval (Wilson's).
type KofN struct {
	K    int     `json:"k"`
	N    int     `json:"n"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// QuestionScore is how answers compare with questions.
type QuestionScore struct {
	All           QuestionRates   `json:"all"`
	Paraphrased   QuestionRates   `json:"paraphrased"`
	Plain         QuestionRates   `json:"plain"` // the others
	Stale         KofN            `json:"stale"` // a superseded item came first
	Abstained     KofN            `json:"abstained"`
	Refused       KofN            `json:"refused"`        // answerable questions that were refused
	Doubted       KofN            `json:"doubted"`        // unanswerable questions refused or answered as uncertain
	DoubtedThough KofN            `json:"doubted_though"` // answerable ones that were
	Seconds       float64         `json:"seconds"`        // mean per question
	Questions     []QuestionsMade `json:"questions"`
}

// QuestionRates are means over answerable questions.
type QuestionRates struct {
	N     int                 `json:"n"`
	Means map[string]Interval `json:"means"` // by the name of its metric
}

// QuestionsMade is one question with its outcome.
type QuestionsMade struct {
	ID         string   `json:"id"`          // hash of day and text, which identifies the question without revealing it
	Q          string   `json:"q,omitempty"` // omitted from files kept in a repository
	Paraphrase bool     `json:"paraphrase,omitempty"`
	Expect     []string `json:"expect"`
	Stale      []string `json:"stale,omitempty"`
	Items      []string `json:"items"` // ranked, gold ids where matched, else ours
	Ranks      []int    `json:"ranks"` // of the expected ones, from 1; 0 where not among the first 20
	SessionAt  int      `json:"session_at"`
	ExchangeAt int      `json:"exchange_at"` // rank of the first exchange with evidence for an expected item, from 1; 0 if none
	Answer1    bool     `json:"answer1"`
	Answer5    bool     `json:"answer5"`
	StaleFirst bool     `json:"stale_first,omitempty"`
	Refused    bool     `json:"refused,omitempty"`
	Weak       bool     `json:"weak,omitempty"` // answered with a note that nothing clearly answers
	Coverage   float64  `json:"coverage"`
	First      string   `json:"first,omitempty"` // what was printed first
	Seconds    float64  `json:"seconds"`
}
