#include "src/http/exchange.h"

#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include "src/base/text.h"
#include "src/base/user_code.h"
#include "src/http/response_head.h"

namespace kinformer::apiserver {

namespace {

class RawHandle final : public RawConnection {
 public:
  RawHandle(std::shared_ptr<Connection> connection, ExchangeId id) : connection_(std::move(connection)), id_(id) {}

  void WriteRaw(Buffer bytes) override {
    connection_->Notify(connection_->outbox().Push(id_, std::move(bytes), {}, MessageFraming::kNone));
  }
  void CloseCleanly() override { Break(Finish::kClose); }
  void Reset() override { Break(Finish::kReset); }
  void Stall() override { Break(Finish::kStall); }
  void Abort() override { connection_->Notify(connection_->outbox().Abort(id_)); }
  void ByteByByte(bool on) override { connection_->outbox().SetByteByByte(id_, on); }

 private:
  void Break(Finish finish) { connection_->Notify(connection_->outbox().Break(id_, finish)); }

  const std::shared_ptr<Connection> connection_;
  const ExchangeId id_;
};

/// Aborts the connection if an answer fails part-way with an exception (out of memory): the peer would wait for the
/// rest forever.
class AbortOnThrow {
 public:
  explicit AbortOnThrow(RawConnection& connection) : connection_(connection) {}
  ~AbortOnThrow() {
    if (std::uncaught_exceptions() > exceptions_) connection_.Abort();
  }
  AbortOnThrow(const AbortOnThrow&) = delete;
  AbortOnThrow& operator=(const AbortOnThrow&) = delete;

 private:
  RawConnection& connection_;
  const int exceptions_ = std::uncaught_exceptions();
};

// Common to both kinds of stream. `Kind` is one of the two interfaces.
template <typename Kind>
class StreamBase : public Kind {
 public:
  StreamBase(std::shared_ptr<Connection> connection, ExchangeId id, MessageFraming framing)
      : connection_(std::move(connection)), id_(id), framing_(framing), raw_(connection_, id) {}

  bool Write(std::span<const Buffer> message) override {
    return connection_->Notify(connection_->outbox().Push(id_, {}, message, framing_));
  }
  std::size_t QueuedBytes() const override { return connection_->outbox().QueuedBytes(id_); }
  void NotifyWhenDrained(std::function<void()> callback) override {
    connection_->Notify(connection_->outbox().NotifyWhenDrained(id_, std::move(callback)));
  }
  void OnClosed(std::function<void()> callback) override { connection_->outbox().OnClosed(id_, std::move(callback)); }
  bool IsClosed() const override { return connection_->outbox().IsClosed(id_); }
  RawConnection& Raw() override { return raw_; }

 protected:
  // Only the first end counts: it invalidates the id.
  void Finish(Buffer last, apiserver::Finish finish) {
    connection_->Notify(connection_->outbox().Push(id_, std::move(last), {}, MessageFraming::kNone, finish));
  }
  MessageFraming framing() const { return framing_; }

 private:
  const std::shared_ptr<Connection> connection_;
  const ExchangeId id_;
  const MessageFraming framing_;
  RawHandle raw_;
};

class HttpStreamHandle final : public StreamBase<HttpStream> {
 public:
  HttpStreamHandle(std::shared_ptr<Connection> connection, ExchangeId id, bool chunked, bool keep_alive)
      : StreamBase(std::move(connection), id, chunked ? MessageFraming::kChunk : MessageFraming::kNone),
        keep_alive_(keep_alive) {}
  ~HttpStreamHandle() override { Finish({}, apiserver::Finish::kClose); }

  void End() override {
    Buffer last = framing() == MessageFraming::kChunk ? Buffer::Static("0\r\n\r\n") : Buffer();
    Finish(std::move(last), keep_alive_ ? apiserver::Finish::kNextRequest : apiserver::Finish::kClose);
  }

 private:
  const bool keep_alive_;
};

class WebSocketHandle final : public StreamBase<WebSocketStream> {
 public:
  WebSocketHandle(std::shared_ptr<Connection> connection, ExchangeId id)
      : StreamBase(std::move(connection), id, MessageFraming::kTextFrame) {}
  ~WebSocketHandle() override {
    if (!IsClosed()) CloseWith(1001, {});
  }

  void Close(std::uint16_t code, std::string_view reason) override { CloseWith(code, reason); }

 private:
  void CloseWith(std::uint16_t code, std::string_view reason) {
    Finish(Buffer(EncodeCloseFrame(code, reason)), apiserver::Finish::kWebSocketClose);
  }
};

bool HasNoBody(int status) { return (status >= 100 && status < 200) || status == 204 || status == 304; }

class ExchangeHandle final : public HttpExchange {
 public:
  ExchangeHandle(std::shared_ptr<Connection> connection, ExchangeId id, HttpRequest request, bool keep_alive)
      : connection_(std::move(connection)),
        id_(id),
        request_(std::move(request)),
        is_head_(request_.method == "HEAD"),
        minor_version_(request_.minor_version),
        keep_alive_(keep_alive),
        raw_(connection_, id) {}
  ~ExchangeHandle() override {
    if (answered_) return;
    const bool out_of_memory =
        internal::Contain([this] {
          HttpExchange::Respond(500, {{"Content-Type", "text/plain; charset=utf-8"}}, "the request was not answered\n");
        }).has_value();
    if (out_of_memory) raw_.Abort();
  }

  HttpRequest& request() override { return request_; }
  using HttpExchange::Respond;

  void Respond(int status, std::vector<HttpHeader> headers, std::vector<Buffer> body) override {
    if (answered_.exchange(true)) return;
    const AbortOnThrow abort_on_throw(raw_);
    ResponseHead head = Head(status, headers);
    for (const Buffer& part : body) head.content_length += part.bytes.size();
    if (HasNoBody(status)) head.framing = BodyFraming::kNone;
    if (HasNoBody(status) || is_head_) body.clear();
    connection_->Notify(connection_->outbox().Push(id_, Buffer(EncodeResponseHead(head, headers)), body,
                                                   MessageFraming::kNone, After(head)));
  }

  std::shared_ptr<HttpStream> BeginStream(int status, std::vector<HttpHeader> headers) override {
    const bool chunked = minor_version_ >= 1;
    ResponseHead head = Head(status, headers);
    head.framing = chunked ? BodyFraming::kChunked : BodyFraming::kUntilClose;
    if (!chunked) head.keep_alive = false;
    if (!answered_.exchange(true)) {
      const AbortOnThrow abort_on_throw(raw_);
      const bool empty = is_head_ || HasNoBody(status);
      if (HasNoBody(status)) head.framing = BodyFraming::kNone;
      Buffer bytes(EncodeResponseHead(head, headers));
      Outbox& outbox = connection_->outbox();
      connection_->Notify(empty ? outbox.Push(id_, std::move(bytes), {}, MessageFraming::kNone, After(head))
                                : outbox.Become(id_, AnswerKind::kStream, std::move(bytes)));
      return std::make_shared<HttpStreamHandle>(connection_, id_, chunked, head.keep_alive);
    }
    return std::make_shared<HttpStreamHandle>(connection_, 0, chunked, head.keep_alive);
  }

  Result<std::shared_ptr<WebSocketStream>> AcceptWebSocket(const std::vector<std::string>& subprotocols) override {
    if (!request_.IsWebSocketUpgrade()) {
      return Error{.code = ErrorCode::kInvalidArgument, .message = "the request does not open a WebSocket"};
    }
    if (answered_.exchange(true)) {
      return Error{.code = ErrorCode::kFailedPrecondition, .message = "the request has been answered"};
    }
    const AbortOnThrow abort_on_throw(raw_);
    std::vector<HttpHeader> headers = {
        {"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", WebSocketAccept(*request_.FindHeader("Sec-WebSocket-Key"))}};
    const std::string chosen = Choose(subprotocols);
    if (!chosen.empty()) headers.push_back({"Sec-WebSocket-Protocol", chosen});
    const ResponseHead head{.status = 101, .framing = BodyFraming::kNone};
    connection_->Notify(
        connection_->outbox().Become(id_, AnswerKind::kWebSocket, Buffer(EncodeResponseHead(head, headers))));
    return std::shared_ptr<WebSocketStream>(std::make_shared<WebSocketHandle>(connection_, id_));
  }

  void OnClosed(std::function<void()> callback) override {
    if (!answered_) connection_->outbox().OnClosed(id_, std::move(callback));
  }
  RawConnection& Raw() override { return raw_; }

 private:
  ResponseHead Head(int status, const std::vector<HttpHeader>& headers) const {
    return {.status = status,
            .framing = BodyFraming::kLength,
            .content_length = 0,
            .keep_alive = keep_alive_ && !AsksToClose(headers),
            .minor_version = minor_version_};
  }
  static Finish After(const ResponseHead& head) { return head.keep_alive ? Finish::kNextRequest : Finish::kClose; }

  std::string Choose(const std::vector<std::string>& subprotocols) const {
    for (const HttpHeader& header : request_.headers) {
      if (!internal::EqualsIgnoringCase(header.name, "Sec-WebSocket-Protocol")) continue;
      std::string_view rest = header.value;
      while (!rest.empty()) {
        const auto comma = rest.find(',');
        std::string_view offered = rest.substr(0, comma);
        while (!offered.empty() && offered.front() == ' ') offered.remove_prefix(1);
        while (!offered.empty() && offered.back() == ' ') offered.remove_suffix(1);
        for (const std::string& ours : subprotocols) {
          if (ours == offered) return ours;
        }
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
      }
    }
    return {};
  }

  const std::shared_ptr<Connection> connection_;
  const ExchangeId id_;
  HttpRequest request_;
  // Copies: the owner may move the request.
  const bool is_head_;
  const int minor_version_;
  const bool keep_alive_;
  std::atomic<bool> answered_ = false;
  RawHandle raw_;
};

}  // namespace

std::shared_ptr<HttpExchange> MakeExchange(std::shared_ptr<Connection> connection, ExchangeId id, HttpRequest request,
                                           bool keep_alive) {
  return std::make_shared<ExchangeHandle>(std::move(connection), id, std::move(request), keep_alive);
}

}  // namespace kinformer::apiserver
