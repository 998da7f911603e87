//go:build amd64 || arm64

package jsonl

import "github.com/bytedance/sonic"

func init() { sonicValid = sonic.Valid }
