package pipeline

var Compose = compose

func GlanceAtMost(files int) (undo func()) {
	was := glancedAtMost
	glancedAtMost = files
	return func() { glancedAtMost = was }
}
