#include "bench/kinformer_load/http_link.h"

#include <utility>

namespace kinformer::bench {

Result<void> HttpLink::Send(std::string_view request) {
  if (ended_ || !answer_.KeepsAlive()) connection_.reset();
  answer_.Reset();
  ended_ = false;
  if (connection_ == nullptr) {
    auto connection = Connection::Open(target_);
    if (!connection) return std::move(connection).error();
    connection_ = *std::move(connection);
    polled_for_write_ = true;
    poller_.Add(connection_->fd(), number_, true);
  }
  connection_->Send(request);
  return Advance();
}

Result<void> HttpLink::Advance() {
  if (auto advanced = connection_->Advance(); !advanced) return advanced;
  if (connection_->WantsToWrite() != polled_for_write_) {
    polled_for_write_ = connection_->WantsToWrite();
    poller_.Change(connection_->fd(), number_, polled_for_write_);
  }
  return {};
}

Result<void> HttpLink::OnReady(std::span<char> buffer, const ResponseReader::Sink& body) {
  if (connection_ == nullptr) return {};
  if (auto advanced = Advance(); !advanced) return advanced;
  for (;;) {
    auto received = connection_->Receive(buffer);
    if (!received) return std::move(received).error();
    if (received->bytes > 0) {
      if (auto taken = answer_.Take({buffer.data(), received->bytes}, body); !taken) return taken;
    }
    if (received->end) {
      // The connection is closed; it must not be polled any more.
      connection_.reset();
      ended_ = true;
      if (answer_.Done()) return {};
      return Error{.code = ErrorCode::kDisconnected,
                   .message = "the server ended a connection in the midst of an answer"};
    }
    if (!received->again) return {};
  }
}

}  // namespace kinformer::bench
