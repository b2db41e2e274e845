package pipeline

var Compose = compose
