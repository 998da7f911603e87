package main

import (
	"bytes"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/jlq/internal/filter"
	"example.com/jlq/reader"
	"example.com/jlq/topic"
)

// TestReading: the bar moves with what is read, block by block or record by
// record.
func TestReading(t *testing.T) {
	var screen bytes.Buffer
	bar := newProgress(newApp(nil, nil, &screen), "read log")
	bar.begun = bar.begun.Add(-progressDelay)
	r := &reading{bar: bar, total: 4 << 20}
	half := filter.Block{Data: make([]byte, 2<<20)}
	for range r.pieces(sequenceOf(pieceOf(half))) {
		require.Empty(t, screen.String(), "nothing was read of the piece")
	}
	for piece := range r.pieces(sequenceOf(pieceOf(half))) {
		for range piece {
		}
	}
	require.Contains(t, screen.String(), " 50% [")
	row := topic.Record{Record: reader.Record{Data: half.Data[1:]}}
	for range r.rows(func(yield func(topic.Record, error) bool) { yield(row, nil) }) {
	}
	require.Equal(t, int64(4<<20), r.done.Load())
}

func sequenceOf[T any](one T) iter.Seq[T] {
	return func(yield func(T) bool) { yield(one) }
}

func pieceOf(block filter.Block) iter.Seq2[filter.Block, error] {
	return func(yield func(filter.Block, error) bool) { yield(block, nil) }
}

// TestReadingNowhere: without a bar nothing stands between.
func TestReadingNowhere(t *testing.T) {
	var r *reading
	r.add(1)
	require.Nil(t, r.pieces(nil))
	require.Nil(t, r.rows(nil))
}

// TestOutputIsFile: a bar is shown beside what goes to a file, and to nothing
// else that could be the same screen.
func TestOutputIsFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	require.True(t, newOutput(f).isFile())
	out, in, err := os.Pipe()
	require.NoError(t, err)
	defer out.Close()
	defer in.Close()
	require.False(t, newOutput(in).isFile())
	require.False(t, newOutput(&bytes.Buffer{}).isFile())
}

// TestReadingUnseen: where nobody looks on, no file is looked at to find out how
// much there is to read.
func TestReadingUnseen(t *testing.T) {
	a := &app{stderr: io.Discard}
	end := a.showReading("log", new(pickFlags), func() int64 {
		t.Error("asked for the size")
		return 0
	}, true)
	defer end()
	require.Nil(t, a.reading)
}
