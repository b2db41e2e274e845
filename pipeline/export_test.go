package pipeline

// LookAtMost makes few sessions very many: of more, some are looked at each time.
func LookAtMost(n int) (undo func()) {
	files, keys := glancedAtMost, keysAtOnce
	glancedAtMost, keysAtOnce = n, n
	return func() { glancedAtMost, keysAtOnce = files, keys }
}
