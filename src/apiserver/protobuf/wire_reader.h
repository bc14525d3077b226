#ifndef KINFORMER_SRC_APISERVER_PROTOBUF_WIRE_READER_H_
#define KINFORMER_SRC_APISERVER_PROTOBUF_WIRE_READER_H_

// In:     the bytes of one message
// Out:    its fields in wire order
// Thread: one; pure
// Next:   ProtobufDecoder

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::apiserver::protobuf {

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kBeginGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

struct WireField {
  std::uint64_t number = 0;
  WireType type = WireType::kVarint;
  /// For varint and fixed types.
  std::uint64_t value = 0;
  std::string_view bytes{};
};

/// Read until Next returns false; `error` then has the reason, and is empty at the end of the input.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// Skips groups, which Kubernetes does not use.
  bool Next(WireField& field);
  /// Reads one varint without a tag, as in a packed list.
  bool NextVarint(std::uint64_t& value);
  bool AtEnd() const { return rest_.empty(); }
  const std::string& error() const { return error_; }

 private:
  bool Read(WireField& field);
  bool Fail(std::string why);
  bool Fixed(std::size_t size, std::uint64_t& value);

  std::string_view rest_;
  std::string error_;
};

}  // namespace kinformer::apiserver::protobuf

#endif  // KINFORMER_SRC_APISERVER_PROTOBUF_WIRE_READER_H_
