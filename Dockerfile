# A static jlq and nothing else, run by a user who is not root:
#
#   docker build -t jlq .
#   docker run --rm -v "$PWD:/logs" jlq tail -n 5 app.jsonl
#   app | docker run --rm -i -v jlq:/logs jlq append orders
FROM golang:1.26.0-alpine3.22 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -tags jlq_nosonic -ldflags "-s -w -buildid= -X main.release=$VERSION" -o /out/jlq ./cmd/jlq \
	&& mkdir -p /out/logs

FROM scratch
COPY --from=build /out/jlq /usr/bin/jlq
COPY --from=build /usr/local/go/lib/time/zoneinfo.zip /usr/share/zoneinfo.zip
COPY --from=build --chown=65532:65532 /out/logs /logs
COPY LICENSE /usr/share/doc/jlq/copyright
ENV ZONEINFO=/usr/share/zoneinfo.zip
USER 65532:65532
WORKDIR /logs
VOLUME /logs
ENTRYPOINT ["/usr/bin/jlq"]
