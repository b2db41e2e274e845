package pipeline

// LookAtMost makes few sessions very many: of more, some are looked at each time.
func LookAtMost(n int) (undo func()) {
	files, keys := maxGlanced, maxKeys
	maxGlanced, maxKeys = n, n
	return func() { maxGlanced, maxKeys = files, keys }
}
