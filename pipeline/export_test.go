package pipeline

// GlanceAtMost makes few files of sources very many: of more, those last written to are watched.
func GlanceAtMost(n int) (undo func()) {
	had := glancedAtMost
	glancedAtMost = n
	return func() { glancedAtMost = had }
}
