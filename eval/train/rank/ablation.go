package main

import "context"

func (w *world) ablate(ctx context.Context) error { return nil }
