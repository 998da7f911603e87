package format

import (
	"bytes"
	"strconv"
	"strings"

	"example.com/jlq/internal/jsonl"
)

// role is a place of its own that a field has in the log view.
type role uint8

const (
	timeRole role = iota
	levelRole
	messageRole
	loggerRole
	callerRole
	roles
)

// usual are the fields that have a place, as services and their libraries call
// them (slog, zap, logrus, pino, bunyan, ECS, Serilog, journald, MongoDB, Docker,
// tracing); the number is how likely a name is, where a record has several: a
// smaller one wins.
var usual = map[string]struct {
	role role
	rank uint8
}{
	"ts": {timeRole, 0}, "time": {timeRole, 1}, "timestamp": {timeRole, 2}, "@timestamp": {timeRole, 3},
	"t": {timeRole, 4}, "t.$date": {timeRole, 4}, "@t": {timeRole, 4}, "datetime": {timeRole, 5}, "date": {timeRole, 6},
	"asctime": {timeRole, 6}, "eventTime": {timeRole, 6}, "__REALTIME_TIMESTAMP": {timeRole, 7},

	"level": {levelRole, 0}, "lvl": {levelRole, 1}, "severity": {levelRole, 2}, "log.level": {levelRole, 3},
	"loglevel": {levelRole, 4}, "levelname": {levelRole, 4}, "severityText": {levelRole, 4}, "@l": {levelRole, 4},
	"s": {levelRole, 5}, "PRIORITY": {levelRole, 5},

	"msg": {messageRole, 0}, "message": {messageRole, 1}, "@message": {messageRole, 2}, "MESSAGE": {messageRole, 2},
	"@m": {messageRole, 3}, "short_message": {messageRole, 3}, "event": {messageRole, 4}, "fields.message": {messageRole, 4},
	"@mt": {messageRole, 5}, "text": {messageRole, 5}, "body": {messageRole, 6}, "log": {messageRole, 7},

	"logger": {loggerRole, 0}, "logger_name": {loggerRole, 1}, "log.logger": {loggerRole, 1}, "target": {loggerRole, 2},
	"caller": {callerRole, 0}, "source": {callerRole, 1},
}

// role takes a field that may have a place of its own.
func (v *logView) role(value []byte) {
	u, known := usual[string(v.name)]
	if !known || v.roles[u.role] != nil && v.rank[u.role] <= u.rank {
		return
	}
	switch u.role {
	case timeRole:
		at, ok := jsonl.ValueTime(value)
		if !ok {
			return
		}
		v.at = at
	case levelRole:
		l := levelOf(value, string(v.name) == "PRIORITY")
		if l == noLevel {
			return
		}
		v.level = l
	default:
		if value[0] != '"' {
			return
		}
	}
	v.roles[u.role], v.rank[u.role] = value, u.rank
}

// level is how bad something is.
type level uint8

const (
	noLevel level = iota
	traceLevel
	debugLevel
	infoLevel
	noticeLevel
	warnLevel
	errorLevel
	fatalLevel
)

// text is as wide for every level.
func (l level) text() string {
	return [...]string{"     ", "TRACE", "DEBUG", "INFO ", "NOTE ", "WARN ", "ERROR", "FATAL"}[l]
}

func (l level) class() class {
	return [...]class{plainText, metaText, metaText, infoText, infoText, warnText, errorText, errorText}[l]
}

// levelNames are by what names begin with, in small letters.
var levelNames = []struct {
	prefix string
	level  level
}{
	{"trace", traceLevel}, {"verbose", debugLevel}, {"debug", debugLevel}, {"dbg", debugLevel},
	{"info", infoLevel}, {"inf", infoLevel}, {"notice", noticeLevel}, {"default", infoLevel},
	{"warn", warnLevel}, {"wrn", warnLevel}, {"err", errorLevel}, {"sever", errorLevel},
	{"fatal", fatalLevel}, {"crit", fatalLevel}, {"panic", fatalLevel}, {"dpanic", fatalLevel},
	{"alert", fatalLevel}, {"emerg", fatalLevel},
}

// levelOf reads a level: a name, or a number as pino and bunyan have them (10 to
// 60) or, where syslog says so, from 0, the worst, to 7.
func levelOf(raw []byte, syslog bool) level {
	text := bytes.Trim(raw, `"`)
	if len(text) == 0 || len(text) > 16 {
		return noLevel
	}
	if text[0] >= '0' && text[0] <= '9' {
		if n, err := strconv.Atoi(string(text)); err == nil {
			return levelNumber(n, syslog)
		}
		return noLevel
	}
	if len(text) == 1 { // as MongoDB and glog write them
		return letters[text[0]]
	}
	for _, name := range levelNames {
		if n := len(name.prefix); len(text) >= n && strings.EqualFold(string(text[:n]), name.prefix) {
			return name.level
		}
	}
	return noLevel
}

// letters are the levels of one.
var letters = map[byte]level{'T': traceLevel, 'D': debugLevel, 'I': infoLevel, 'W': warnLevel, 'E': errorLevel, 'F': fatalLevel}

func levelNumber(n int, syslog bool) level {
	switch {
	case syslog && n >= 0 && n <= 7:
		return [...]level{fatalLevel, fatalLevel, fatalLevel, errorLevel, warnLevel, noticeLevel, infoLevel, debugLevel}[n]
	case syslog || n < 10 || n > 60:
		return noLevel
	}
	return [...]level{traceLevel, debugLevel, infoLevel, warnLevel, errorLevel, fatalLevel}[n/10-1]
}
