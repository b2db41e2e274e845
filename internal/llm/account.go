package llm

import "context"

// Account is what a request is made for, as recorded in the ledger.
type Account struct {
	Session string // session id, "" for none in particular
	Project string // project id
}

type accountKey struct{}

// WithAccount returns a context whose requests are charged to an account. This passes it
// from the caller to the ledger through layers that don't need it.
func WithAccount(ctx context.Context, a Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// AccountOf returns the account of a context's requests.
func AccountOf(ctx context.Context) Account {
	a, _ := ctx.Value(accountKey{}).(Account)
	return a
}
