#ifndef KINFORMER_TEST_SUPPORT_SCRIPTED_SERVER_H_
#define KINFORMER_TEST_SUPPORT_SCRIPTED_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "test/support/patience.h"
#include "test/support/test_ca.h"

namespace kinformer::testing_support {

/// Case-insensitive order of header names.
struct IgnoreCase {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
using HeaderMap = std::multimap<std::string, std::string, IgnoreCase>;

/// A request as received.
struct ReceivedRequest {
  std::string method;
  /// Path and query as in the request line.
  std::string target;
  /// Percent-decoded.
  std::string path;
  std::multimap<std::string, std::string> query;
  HeaderMap headers;
  std::string body;
  /// The common name of the client's certificate; empty without one.
  std::string client_cn;
  /// Numbers the server's connections from 1. Requests with the same id came over the same connection.
  std::uint64_t connection_id = 0;
  int peer_port = 0;

  /// The first value of that name, or "".
  std::string Header(std::string_view name) const;
  std::string Query(const std::string& name) const;
};

/// The sink of a streaming body. Used on the connection's thread.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;

  /// Sends the bytes as one HTTP chunk, immediately. Blocks while the client does not read. False if the client is gone
  /// or the server is stopping.
  virtual bool Write(std::string_view bytes) = 0;
  /// Writes bytes to the connection as they are, outside any chunk.
  virtual bool WriteRaw(std::string_view bytes) = 0;
  /// Blocks for `time` (nullopt: no limit), or until Wake, the client disconnects or the server stops. False in the
  /// last two cases.
  virtual bool Wait(std::optional<std::chrono::milliseconds> time) = 0;
  /// Ends the current Wait, or else the next one. The only function that other threads may call.
  virtual void Wake() = 0;
  /// Makes the end of the body reset the connection (RST) instead of closing it.
  virtual void ResetAtEnd() = 0;
};

/// The test's control over one streaming body. Copies refer to the same stream. Thread-safe.
///
/// Create it, pass it to Reply::Stream, then send: data sent before the request arrives is queued.
class StreamHandle {
 public:
  StreamHandle();

  /// Each Send is one HTTP chunk.
  void Send(std::string bytes) const;
  /// Ends the body properly; the connection stays open for the next request.
  void Close() const;
  /// Closes the connection (FIN) before the end of the body.
  void Cut() const;
  /// As Cut, after the header of a chunk of `announced` bytes and only `bytes` of that chunk.
  void CutInsideChunk(std::string bytes, std::size_t announced) const;
  /// Resets the connection (RST) before the end of the body.
  void Abort() const;

  /// Waits until the response's header has been sent.
  bool AwaitOpen(std::chrono::milliseconds timeout = kPatience) const;
  /// Waits until everything sent so far has been handed to the kernel.
  bool AwaitSent(std::chrono::milliseconds timeout = kPatience) const;
  /// Waits until either side has ended the stream.
  bool AwaitEnd(std::chrono::milliseconds timeout = kPatience) const;
  /// Waits until the stream has ended because the client disconnected (or the server was stopped).
  bool AwaitClientGone(std::chrono::milliseconds timeout = kPatience) const;

 private:
  friend struct Reply;
  struct State;
  std::shared_ptr<State> state_;
};

/// Holds back replies until the test opens it. Copies refer to the same gate. Thread-safe.
class Gate {
 public:
  Gate();
  void Open() const;
  /// Waits until at least n replies are held back.
  bool AwaitWaiting(std::size_t n, std::chrono::milliseconds timeout = kPatience) const;

 private:
  friend struct Reply;
  struct State;
  std::shared_ptr<State> state_;
};

/// The server's response to one request.
struct Reply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::string content_type = "application/json";
  /// Replaces `body`: called once, sent with chunked encoding. Returning false cuts the connection before the end of
  /// the body.
  std::function<bool(BodyWriter&)> stream = {};
  /// Called before the reply is written; may delay it (see BodyWriter::Wait). Returning false closes the connection
  /// without a reply.
  std::function<bool(BodyWriter&)> before = {};
  /// Replaces everything: sends these bytes, then closes the connection. For responses that are not HTTP.
  std::optional<std::string> raw = {};
  /// Closes the connection after the reply.
  bool close = false;

  static Reply Json(std::string body, int status = 200);
  static Reply Stream(const StreamHandle& handle);
  /// A Kubernetes Status object with that code.
  static Reply Status(int code, const std::string& reason, const std::string& message = "");
  /// No response: closes or resets the connection.
  static Reply Nothing(bool reset = false);

  /// This reply, held back until the gate is open.
  Reply Behind(const Gate& gate) const;
};

struct ScriptedServerOptions {
  bool tls = false;
  /// Signs the server's certificate. Null: a new CA, see ca_pem().
  const TestCa* ca = nullptr;
  ServerCertificateOptions certificate = {};
  /// If not empty, the server requests client certificates and verifies them against this CA.
  std::string client_ca_pem = {};
  /// Clients without a certificate fail the handshake.
  bool require_client_certificate = false;
};

/// An HTTP/1.1 server on 127.0.0.1 that is scripted by a test.
///
/// Answers with the next enqueued reply, else with the handler's, else with 404 and a Status object. Connections stay
/// open until the client closes them; each has a thread. Does not compress and has no timeouts. Refuses a request line
/// or header of more than 8 KB (cpp-httplib's limit). The destructor breaks every open connection and joins all threads
/// without delay, unless a handler of the test blocks.
class ScriptedServer {
 public:
  using Handler = std::function<Reply(const ReceivedRequest&)>;

  explicit ScriptedServer(ScriptedServerOptions options = {});
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  /// Called for each request without an enqueued reply, possibly from several threads at once.
  void Handle(Handler handler);
  /// Queues a reply for a single request. Replies are used in order.
  void Enqueue(Reply reply);

  int port() const;
  /// "https://127.0.0.1:port" or "http://…".
  std::string url() const;
  /// The CA that signed the server's certificate; empty without TLS or if the options set a CA.
  std::string ca_pem() const;

  std::vector<ReceivedRequest> Requests() const;
  /// Waits until at least n requests have arrived, header and body.
  bool AwaitRequests(std::size_t n, std::chrono::milliseconds timeout = kPatience) const;
  /// Connections accepted so far, and currently open.
  std::size_t connections() const;
  std::size_t open_connections() const;
  /// Waits until exactly n connections are open.
  bool AwaitOpenConnections(std::size_t n, std::chrono::milliseconds timeout = kPatience) const;
  /// Resets every open connection. New connections are still served.
  void ResetConnections();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_SCRIPTED_SERVER_H_
