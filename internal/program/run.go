package program

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"

	"github.com/itchyny/gojq"

	"example.com/jlq/internal/jsonl"
)

// UnknownOffset is that of a record whose number is not known.
const UnknownOffset = math.MaxUint64

// Record is what a program is run on, and what its variables say of it.
type Record struct {
	Data      []byte // the line without its newline
	Offset    uint64 // $offset, or UnknownOffset: null
	Partition int    // $partition; negative: null
	ID        string // $id; "": null
}

// Runner runs a program on one record after the other. It is for one goroutine.
type Runner struct {
	// Note is told what debug and stderr say. The text is JSON.
	Note func(kind, text string)
	// Raw says that a result that is a string is printed as what it says, as by
	// jq --raw-output.
	Raw bool

	program *Program
	code    *gojq.Code
	read    int // bytes, since the code was compiled
	doc     document
	encoder encoder
	result  []byte
	values  []any

	ctx     context.Context // of the record
	results gojq.Iter
	direct  bool // the result is there without
}

// Runner returns a new one.
func (p *Program) Runner() *Runner {
	r := &Runner{program: p, code: p.code}
	r.doc.needs = p.needs
	r.encoder = encoder{doc: &r.doc, uses: &p.uses}
	if p.uses.speaks || p.uses.patterns {
		r.code = nil
	}
	return r
}

// patternBytes is how much is read by code that keeps the regular expressions
// that it met in it.
const patternBytes = 16 << 20

// Run runs the program on a record and yields each result, as Start and Next
// do. It ends when yield returns false.
func (r *Runner) Run(ctx context.Context, rec Record, yield func(result []byte) bool) error {
	if err := r.Start(ctx, rec); err != nil {
		return err
	}
	for {
		result, err := r.Next()
		if err != nil || result == nil || !yield(result) {
			return err
		}
	}
}

// Start begins with a record, which must stay as it is until the last Next. The
// error is that of [jsonl.CheckStrict] where the record is not JSON.
func (r *Runner) Start(ctx context.Context, rec Record) error {
	line := jsonl.SkipBOM(rec.Data)
	if err := jsonl.CheckStrict(line, -1); err != nil {
		return err
	}
	if r.direct = r.program.path != nil && r.field(line); r.direct {
		r.results = nil
		return nil
	}
	if err := r.prepare(len(line)); err != nil {
		return err
	}
	r.ctx = ctx
	r.results = r.code.RunWithContext(ctx, r.doc.decode(line), r.variables(rec)...)
	r.encoder.order.reset()
	return nil
}

// Next returns the next result, compact and without a newline, and valid until
// Next or Start is called again; nil when there are no more. An error is the last
// that comes of a record: a [*Failure], a [*Halt], or the cause of the context.
func (r *Runner) Next() (result []byte, err error) {
	if r.results == nil {
		if r.direct {
			r.direct = false
			return r.result, nil
		}
		return nil, nil
	}
	v, ok := r.results.Next()
	if !ok {
		return nil, nil
	}
	if err, ok := v.(error); ok {
		return nil, r.failure(err)
	}
	if s, ok := v.(string); ok && r.Raw {
		r.result = append(r.result[:0], s...)
	} else if r.result, err = r.encoder.append(r.result[:0], v); err != nil {
		return nil, err
	}
	if r.result == nil { // "" of Raw is a result too
		r.result = []byte{}
	}
	return r.result, nil
}

// prepare compiles the code where it is the runner's own.
func (r *Runner) prepare(size int) error {
	if r.read += size; r.program.uses.patterns && r.read > patternBytes {
		r.code, r.read = nil, 0
	}
	if r.code != nil {
		return nil
	}
	code, err := r.program.compile(r.note)
	r.code = code
	return err
}

func (r *Runner) note(kind string, v any) {
	if r.Note == nil {
		return
	}
	text, err := (&encoder{doc: &r.doc, uses: &r.program.uses}).append(nil, v)
	if err != nil {
		text = []byte(err.Error())
	}
	r.Note(kind, string(text))
}

// variables are the values of those that the program uses.
func (r *Runner) variables(rec Record) []any {
	r.values = r.values[:0]
	for _, name := range r.program.uses.variables {
		var v any
		switch {
		case name == "$offset" && rec.Offset != UnknownOffset:
			v = number(rec.Offset)
		case name == "$partition" && rec.Partition >= 0:
			v = rec.Partition
		case name == "$id" && rec.ID != "":
			v = rec.ID
		}
		r.values = append(r.values, v)
	}
	return r.values
}

// number is n as gojq holds it.
func number(n uint64) any {
	if n <= math.MaxInt {
		return int(n)
	}
	return new(big.Int).SetUint64(n)
}

// failure is what an error of gojq means.
func (r *Runner) failure(err error) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	halt, ok := errors.AsType[*gojq.HaltError](err)
	if !ok {
		return &Failure{brief(err.Error())}
	}
	h := &Halt{Code: halt.ExitCode()}
	switch v := halt.Value().(type) {
	case nil:
	case string:
		h.Text = v
	default:
		text, err := r.encoder.append(nil, v)
		if err != nil {
			return err
		}
		h.Text = string(text)
	}
	return h
}

// longestReason is how many bytes are shown of what a program has to say about
// why it failed, which may be all of a record.
const longestReason = 1 << 10

func brief(reason string) string {
	if len(reason) <= longestReason {
		return reason
	}
	return strings.ToValidUTF8(reason[:longestReason], "") + "…"
}
