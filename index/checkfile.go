package index

import (
	"context"
	"fmt"
)

// CheckFile compares the index at indexPath with the records file completely,
// as [Check] does, and changes nothing. The report says what the index holds
// and what lies behind it; Options.MaxProblems bounds the list of problems.
// That the index is missing is an error that matches [fs.ErrNotExist].
func CheckFile(ctx context.Context, records, indexPath string, opts *Options) (Report, []Problem, error) {
	o := opts.withDefaults()
	p, err := openPair(o.FS, records, indexPath)
	if err != nil {
		return Report{}, nil, err
	}
	defer p.close()
	r := p.report()
	if p.idx == nil {
		return r, nil, p.missing
	}
	problems, err := p.check(ctx, &o, &r)
	if err != nil {
		return r, problems, fmt.Errorf("check index %s of %s: %w", indexPath, records, err)
	}
	return r, problems, nil
}

// check fills in r and returns the problems, at most o.MaxProblems.
func (p *pair) check(ctx context.Context, o *Options, r *Report) ([]Problem, error) {
	w := newWindow(p.recs, p.recsInfo.Size, blockSize)
	w.step = o.stepper(ctx, w.size)
	problems := p.partial()
	r.Records = p.count()
	for problem, err := range w.check(ctx, p.idx, r.Records) {
		if err != nil {
			return problems, err
		}
		if len(problems) == o.MaxProblems {
			r.Stopped = true
			return problems, nil
		}
		problems = append(problems, problem)
	}
	if err := p.checkEnd(w, r, problems); err != nil {
		return problems, err
	}
	o.Progress(w.size, w.size)
	return problems, p.stands()
}

// partial returns the problem of a partial entry where there is one.
func (p *pair) partial() []Problem {
	rest := p.idxInfo.Size % EntrySize
	if rest == 0 {
		return nil
	}
	whole := uint64(p.idxInfo.Size / EntrySize)
	return []Problem{{Kind: Partial, Offset: whole, Text: fmt.Sprintf("the index ends in %d bytes of entry %d", rest, whole)}}
}

// checkEnd fills in what depends on the last entry. Where another one is wrong
// it says nothing about it, and it is left out.
func (p *pair) checkEnd(w *window, r *Report, problems []Problem) error {
	end, err := p.end()
	if err != nil {
		return nil // beyond any position, which is among the problems
	}
	r.End = end
	if len(problems) > 0 && problems[len(problems)-1].Kind != Partial {
		return nil
	}
	behind, last, err := w.lines(end)
	r.Behind, r.Tail = behind, r.Size-last
	return err
}
