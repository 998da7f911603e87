package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/jlq/group"
	"example.com/jlq/internal/vfs"

	consumed "example.com/jlq/internal/offsets"
)

// openGroup names a group of a log.
func (a *app) openGroup(path, name string) (*group.Group, error) {
	g, err := group.Open(path, name, &group.Options{Logger: a.warner()})
	if err != nil {
		return nil, noLog(path, err)
	}
	return g, nil
}

// groupNames are the groups that are registered on a log, in order.
func (a *app) groupNames(path string) ([]string, error) {
	names, err := group.List(path, &group.Options{Logger: a.warner()})
	return names, placesHint(path, noLog(path, err))
}

// lagOf is how far the group of args is, or all of the log are: LOG [GROUP].
func (a *app) lagOf(ctx context.Context, args []string) ([]groupRow, error) {
	names := args[1:]
	if len(names) == 0 {
		var err error
		if names, err = a.groupNames(args[0]); err != nil {
			return nil, err
		}
	}
	var rows []groupRow
	for _, name := range names {
		g, err := a.openGroup(args[0], name)
		if err != nil {
			return nil, err
		}
		lags, err := g.Lag(ctx)
		if err != nil {
			return nil, noGroup(args[0], name, err)
		}
		for _, l := range lags {
			rows = append(rows, rowOf(name, l, time.Now()))
		}
	}
	return rows, nil
}

// placesHint adds to an error about an offsets file that is lost what can be
// done about it.
func placesHint(path string, err error) error {
	if !errors.Is(err, consumed.ErrDamaged) {
		return err
	}
	place, located := consumed.Locate(vfs.OS, path)
	if located != nil {
		return err
	}
	return &usageError{err: err, hint: fmt.Sprintf("put a copy of %s back, or move it, %s and %s away and say where each group goes on: jlq consume -g GROUP -o OFFSET %s",
		place.File, place.Prev(), place.Groups, path)}
}

// noGroup says that there is no such group, as other commands say that there
// is no such record.
func noGroup(path, name string, err error) error {
	if errors.Is(err, group.ErrNotRegistered) {
		names, _ := group.List(path, nil) // without any there is no hint
		err := &usageError{err: fmt.Errorf("%s: there is no group %s", path, name)}
		if near := nearest(name, names); near != "" {
			err.hint = "did you mean " + near + "?"
		}
		return &codeError{exitMissing, err}
	}
	return placesHint(path, err)
}
