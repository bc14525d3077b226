#include "src/http/websocket.h"

#include <openssl/evp.h>

#include <algorithm>

#include "src/base/base64.h"

namespace kinformer::apiserver {

namespace {

constexpr std::size_t kMaxControlPayload = 125;

bool IsControl(std::uint8_t opcode) { return (opcode & 0x8U) != 0; }

}  // namespace

std::string WebSocketAccept(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) return {};
  return internal::EncodeBase64({reinterpret_cast<const char*>(digest.data()), size});
}

std::size_t EncodeWebSocketHead(WebSocketOpcode opcode, std::uint64_t size, std::array<char, kMaxWebSocketHead>& out) {
  out[0] = static_cast<char>(0x80U | static_cast<std::uint8_t>(opcode));
  const auto big_endian = [&](std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out.at(2 + i) = static_cast<char>(size >> (8 * (bytes - 1 - i)) & 0xffU);
    return 2 + bytes;
  };
  if (size < 126) {
    out[1] = static_cast<char>(size);
    return 2;
  }
  if (size <= 0xffff) {
    out[1] = 126;
    return big_endian(2);
  }
  out[1] = 127;
  return big_endian(8);
}

std::string EncodeControlFrame(WebSocketOpcode opcode, std::string_view payload) {
  payload = payload.substr(0, kMaxControlPayload);
  std::array<char, kMaxWebSocketHead> head{};
  const std::size_t size = EncodeWebSocketHead(opcode, payload.size(), head);
  std::string frame(head.data(), size);
  frame += payload;
  return frame;
}

std::string EncodeCloseFrame(std::uint16_t code, std::string_view reason) {
  std::string payload{static_cast<char>(code >> 8U), static_cast<char>(code & 0xffU)};
  payload += reason.substr(0, kMaxControlPayload - 2);
  return EncodeControlFrame(WebSocketOpcode::kClose, payload);
}

bool WebSocketReader::Feed(std::string_view bytes, const OnControl& on_control) {
  while (!closed_) {
    if (!in_payload_) {
      const std::size_t taken = std::min(head_needed_ - head_size_, bytes.size());
      std::copy_n(bytes.begin(), taken, head_.begin() + static_cast<std::ptrdiff_t>(head_size_));
      head_size_ += taken;
      bytes.remove_prefix(taken);
      if (head_size_ < head_needed_) return true;
      if (!ReadHead()) return false;
      continue;
    }
    const std::uint8_t opcode = head_[0] & 0x0fU;
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(payload_left_, bytes.size()));
    if (IsControl(opcode)) {
      const unsigned char* mask = head_.data() + head_size_ - 4;
      for (std::size_t i = 0; i < taken; ++i) {
        control_ += static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ mask[mask_at_++ % 4]);
      }
    }
    bytes.remove_prefix(taken);
    payload_left_ -= taken;
    if (payload_left_ > 0) return true;
    in_payload_ = false;
    head_size_ = 0;
    head_needed_ = 2;
    if (!IsControl(opcode)) continue;
    if (opcode == static_cast<std::uint8_t>(WebSocketOpcode::kClose)) {
      if (control_.size() == 1) return false;
      closed_ = true;
    }
    on_control(static_cast<WebSocketOpcode>(opcode), control_);
    control_.clear();
    mask_at_ = 0;
  }
  return true;
}

// Called with the first two bytes of a header, which determine its length, and again with the complete header.
bool WebSocketReader::ReadHead() {
  const bool fin = (head_[0] & 0x80U) != 0;
  const std::uint8_t opcode = head_[0] & 0x0fU;
  const unsigned length = head_[1] & 0x7fU;
  if (head_size_ == 2) {
    const bool masked = (head_[1] & 0x80U) != 0;
    const bool reserved = (head_[0] & 0x70U) != 0 || (opcode > 0x2 && opcode < 0x8) || opcode > 0xA;
    if (reserved || !masked) return false;
    if (IsControl(opcode) && (!fin || length > kMaxControlPayload)) return false;
    head_needed_ = 2U + (length == 126 ? 2U : length == 127 ? 8U : 0U) + 4U;
    return true;
  }
  payload_left_ = length;
  if (length >= 126) {
    payload_left_ = 0;
    for (std::size_t i = 2; i < head_size_ - 4; ++i) payload_left_ = payload_left_ << 8U | head_.at(i);
    if (payload_left_ >> 63U != 0) return false;
  }
  if (!IsControl(opcode)) {
    // A fragmented message must be complete before the next one starts.
    if (in_message_ != (opcode == static_cast<std::uint8_t>(WebSocketOpcode::kContinuation))) return false;
    in_message_ = !fin;
  }
  in_payload_ = true;
  return true;
}

}  // namespace kinformer::apiserver
