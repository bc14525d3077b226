#include "src/http/channel.h"

#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "src/http/tls_context.h"

namespace kinformer::apiserver {

namespace {

using Status = Moved::Status;

constexpr std::size_t kMaxPieces = 512;
// The maximum size of a TLS record, and how much goes to the kernel in one call.
constexpr std::size_t kRecordBytes = 16 * 1024;
constexpr std::size_t kCipherBytes = 64 * 1024;
// Read limit per call. OpenSSL reads until it has application data and answers some messages itself (key updates), so a
// peer could otherwise keep it busy and starve other connections.
constexpr std::size_t kReadBudget = 64 * 1024;

Moved FromErrno(std::size_t bytes = 0) {
  return {errno == EAGAIN || errno == EWOULDBLOCK ? Status::kWouldBlock : Status::kFailed, bytes};
}

Moved Send(int socket, std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FromErrno(sent);
    sent += static_cast<std::size_t>(n);
  }
  return {Status::kDone, sent};
}

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(int socket) : socket_(socket) {}

  Moved Handshake() override { return {}; }

  Moved Read(ChannelScratch&, std::span<char> into) override {
    for (;;) {
      const ssize_t n = ::recv(socket_, into.data(), into.size(), 0);
      if (n > 0) return {Status::kDone, static_cast<std::size_t>(n)};
      if (n == 0) return {Status::kEnd, 0};
      if (errno != EINTR) return FromErrno();
    }
  }

  Moved Write(ChannelScratch&, std::span<const std::string_view> pieces) override {
    std::array<iovec, kMaxPieces> vectors;
    const std::size_t count = std::min(pieces.size(), kMaxPieces);
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
      wanted += pieces[i].size();
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    for (;;) {
      const ssize_t n = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
      if (n >= 0) {
        const auto sent = static_cast<std::size_t>(n);
        return {sent < wanted ? Status::kWouldBlock : Status::kDone, sent};
      }
      if (errno != EINTR) return FromErrno();
    }
  }

  Moved FlushPending() override { return {}; }
  std::size_t PendingBytes() const override { return 0; }
  void ShutdownWrites() override { ::shutdown(socket_, SHUT_WR); }
  void DescribePeer(HttpPeer&) const override {}

 private:
  const int socket_;
};

// OpenSSL's access to the socket. It reads from the socket directly; its writes are collected, so that many records
// leave in one call, and a closed peer raises no SIGPIPE.
struct BioState {
  int socket = -1;
  std::string* out = nullptr;
  /// Bytes that the current call may still read.
  std::size_t budget = 0;
  bool end = false;
};

int WriteBio(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  static_cast<BioState*>(BIO_get_data(bio))->out->append(data, static_cast<std::size_t>(size));
  return size;
}

int ReadBio(BIO* bio, char* data, int size) {
  auto* state = static_cast<BioState*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (state->budget == 0 || state->out->size() > kMaxPending) {
    BIO_set_retry_read(bio);
    return -1;
  }
  for (;;) {
    const ssize_t n = ::recv(state->socket, data, static_cast<std::size_t>(size), 0);
    if (n > 0) {
      state->budget -= std::min(state->budget, static_cast<std::size_t>(n));
      return static_cast<int>(n);
    }
    if (n == 0) state->end = true;
    if (n == 0) return 0;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) BIO_set_retry_read(bio);
    return -1;
  }
}

long ControlBio(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return static_cast<BioState*>(BIO_get_data(bio))->end ? 1 : 0;
  return 0;
}

const BIO_METHOD* BioMethod() {
  static const BioMethodPtr kMethod = [] {
    BioMethodPtr method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "kinformer"));
    if (method) {
      BIO_meth_set_write(method.get(), &WriteBio);
      BIO_meth_set_read(method.get(), &ReadBio);
      BIO_meth_set_ctrl(method.get(), &ControlBio);
    }
    return method;
  }();
  return kMethod.get();
}

class TlsChannel final : public Channel {
 public:
  TlsChannel(int socket, SslPtr ssl) : ssl_(std::move(ssl)) {
    bio_.socket = socket;
    bio_.out = &pending_;
    SSL_set_accept_state(ssl_.get());
  }

  bool Init() {
    BIO* bio = BioMethod() ? BIO_new(BioMethod()) : nullptr;
    if (bio == nullptr) return false;
    BIO_set_data(bio, &bio_);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    return true;
  }

  Moved Handshake() override {
    ERR_clear_error();
    bio_.budget = kReadBudget;
    const int outcome = SSL_do_handshake(ssl_.get());
    return outcome == 1 ? Moved{} : FromSsl(outcome);
  }

  Moved Read(ChannelScratch&, std::span<char> into) override {
    ERR_clear_error();
    bio_.budget = kReadBudget;
    std::size_t size = 0;
    const int outcome = SSL_read_ex(ssl_.get(), into.data(), into.size(), &size);
    return outcome == 1 ? Moved{Status::kDone, size} : FromSsl(outcome);
  }

  Moved Write(ChannelScratch& scratch, std::span<const std::string_view> pieces) override {
    if (!pending_.empty()) {
      if (const Moved flushed = FlushPending(); flushed.status != Status::kDone) return {flushed.status, 0};
    }
    scratch.cipher.clear();
    bio_.out = &scratch.cipher;
    const Moved encrypted = Encrypt(scratch, pieces);
    bio_.out = &pending_;
    if (encrypted.status != Status::kDone) return encrypted;
    Moved sent = Send(bio_.socket, scratch.cipher);
    if (sent.status == Status::kFailed) return sent;
    pending_.append(scratch.cipher, sent.bytes);
    return {sent.status, encrypted.bytes};
  }

  Moved FlushPending() override {
    const Moved sent = Send(bio_.socket, pending_);
    pending_.erase(0, sent.bytes);
    if (pending_.empty()) pending_ = {};
    return sent;
  }

  std::size_t PendingBytes() const override { return pending_.size(); }

  void ShutdownWrites() override {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
    ERR_clear_error();
    FlushPending();
    ::shutdown(bio_.socket, SHUT_WR);
  }

  void DescribePeer(HttpPeer& peer) const override {
    peer.tls = true;
    ReadClientCertificate(ssl_.get(), peer);
  }

 private:
  // Small pieces are combined first: each SSL_write makes a record, with its own header and tag.
  Moved Encrypt(ChannelScratch& scratch, std::span<const std::string_view> pieces) {
    Moved all;
    std::size_t next = 0;
    std::size_t offset = 0;
    while (next < pieces.size() && scratch.cipher.size() < kCipherBytes) {
      std::string_view block = pieces[next].substr(offset, kRecordBytes);
      if (block.size() < kRecordBytes && next + 1 < pieces.size()) {
        scratch.plain.assign(block);
        for (std::size_t i = next + 1; i < pieces.size() && scratch.plain.size() < kRecordBytes; ++i) {
          scratch.plain.append(pieces[i].substr(0, kRecordBytes - scratch.plain.size()));
        }
        block = scratch.plain;
      }
      std::size_t size = 0;
      if (!block.empty()) {
        ERR_clear_error();
        const int outcome = SSL_write_ex(ssl_.get(), block.data(), block.size(), &size);
        // OpenSSL writes to memory, so it never blocks.
        if (outcome != 1) return {Status::kFailed, 0};
      }
      all.bytes += size;
      offset += size;
      while (next < pieces.size() && offset >= pieces[next].size()) offset -= pieces[next++].size();
    }
    return all;
  }

  Moved FromSsl(int outcome) const {
    switch (SSL_get_error(ssl_.get(), outcome)) {
      case SSL_ERROR_WANT_READ:
        return {Status::kWouldBlock, 0};
      case SSL_ERROR_ZERO_RETURN:
        return {Status::kEnd, 0};
      default:
        return {Status::kFailed, 0};
    }
  }

  BioState bio_;
  /// Records that the socket has not accepted yet.
  std::string pending_;
  SslPtr ssl_;
};

}  // namespace

std::unique_ptr<Channel> MakePlainChannel(int socket) { return std::make_unique<PlainChannel>(socket); }

std::unique_ptr<Channel> MakeTlsChannel(int socket, SSL_CTX* context) {
  SslPtr ssl(SSL_new(context));
  if (!ssl) return nullptr;
  auto channel = std::make_unique<TlsChannel>(socket, std::move(ssl));
  if (!channel->Init()) return nullptr;
  return channel;
}

}  // namespace kinformer::apiserver
