#ifndef KINFORMER_SRC_HTTP_WEBSOCKET_H_
#define KINFORMER_SRC_HTTP_WEBSOCKET_H_

// In:     bytes of a WebSocket's peer
// Out:    its control frames (data frames are dropped); the headers of our own frames
// Thread: none of its own; pure
// Next:   Connection

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

enum class WebSocketOpcode : std::uint8_t {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xA,
};

/// The Sec-WebSocket-Accept for a Sec-WebSocket-Key.
std::string WebSocketAccept(std::string_view key);

constexpr std::size_t kMaxWebSocketHead = 10;
/// The header of an unmasked, unfragmented frame of `size` bytes. Returns its length.
std::size_t EncodeWebSocketHead(WebSocketOpcode opcode, std::uint64_t size, std::array<char, kMaxWebSocketHead>& out);
/// A complete control frame. `payload` is truncated to 125 bytes, the protocol's limit.
std::string EncodeControlFrame(WebSocketOpcode opcode, std::string_view payload);
std::string EncodeCloseFrame(std::uint16_t code, std::string_view reason);

/// Reads a client's frames. Stores nothing but an incomplete control frame.
class WebSocketReader {
 public:
  using OnControl = std::function<void(WebSocketOpcode opcode, std::string_view payload)>;

  /// False: the peer violated the protocol (close with 1002). Frames after a Close are dropped.
  bool Feed(std::string_view bytes, const OnControl& on_control);

 private:
  bool ReadHead();

  std::array<unsigned char, 14> head_{};
  std::size_t head_size_ = 0;
  std::size_t head_needed_ = 2;
  bool in_payload_ = false;
  std::uint64_t payload_left_ = 0;
  std::size_t mask_at_ = 0;
  std::string control_;
  bool in_message_ = false;
  bool closed_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_WEBSOCKET_H_
