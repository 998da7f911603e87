package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	consumed "example.com/jlq/internal/offsets"
	"example.com/jlq/internal/vfs"
)

func (a *app) groupExportCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "export LOG",
		Short: "print how far all groups are, as EQueue keeps it",
		Long: `export prints how far all groups are as one JSON object, in the form of EQueue's offsets
file: of each partition the offset that was consumed last, -1 for none, which is one less
than the committed offset of group show. A log that is no topic gets its own name as the
topic's. jlq import takes it in again.`,
		Example: `  jlq group export orders >offsets.json
  jlq group export orders | jq .billing`,
		Args: wantArgs(1, 1, "one LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.exportGroups(args[0])
		},
	}
}

func (a *app) exportGroups(path string) error {
	place, err := consumed.Locate(vfs.OS, path)
	if err != nil {
		return noLog(path, err)
	}
	file, fallback, err := consumed.Read(vfs.OS, place)
	if fallback != nil {
		a.report("%s", fallback)
	}
	if err != nil {
		return placesHint(path, err)
	}
	name := filepath.Base(path)
	data, err := consumed.EncodeFlat(&file, strings.TrimSuffix(name, filepath.Ext(name)))
	if err != nil {
		return err
	}
	_, err = a.out.Write(data)
	return err
}
