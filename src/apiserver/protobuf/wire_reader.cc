#include "src/apiserver/protobuf/wire_reader.h"

#include <utility>

namespace kinformer::apiserver::protobuf {
namespace {

constexpr std::uint64_t kMaxFieldNumber = (std::uint64_t{1} << 29) - 1;

}  // namespace

bool WireReader::Fail(std::string why) {
  error_ = std::move(why);
  return false;
}

bool WireReader::NextVarint(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return Fail("unexpected EOF");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return Fail("proto: integer overflow");
}

bool WireReader::Fixed(std::size_t size, std::uint64_t& value) {
  if (rest_.size() < size) return Fail("unexpected EOF");
  value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::Read(WireField& field) {
  std::uint64_t tag = 0;
  if (!NextVarint(tag)) return false;
  field.number = tag >> 3U;
  field.bytes = {};
  if (field.number == 0 || field.number > kMaxFieldNumber) {
    return Fail("proto: illegal tag " + std::to_string(field.number) + " (wire type " + std::to_string(tag) + ")");
  }
  const auto type = static_cast<unsigned>(tag & 7U);
  field.type = static_cast<WireType>(type);
  switch (field.type) {
    case WireType::kVarint:
      return NextVarint(field.value);
    case WireType::kFixed64:
      return Fixed(8, field.value);
    case WireType::kFixed32:
      return Fixed(4, field.value);
    case WireType::kBeginGroup:
    case WireType::kEndGroup:
      return true;
    case WireType::kBytes: {
      std::uint64_t length = 0;
      if (!NextVarint(length)) return false;
      if (length > rest_.size()) return Fail("unexpected EOF");
      field.bytes = rest_.substr(0, static_cast<std::size_t>(length));
      rest_.remove_prefix(field.bytes.size());
      return true;
    }
  }
  return Fail("proto: illegal wireType " + std::to_string(type));
}

bool WireReader::Next(WireField& field) {
  std::size_t groups = 0;
  while (!rest_.empty() || groups > 0) {
    if (!Read(field)) return false;
    if (field.type == WireType::kBeginGroup) {
      ++groups;
    } else if (field.type == WireType::kEndGroup) {
      if (groups == 0) return Fail("proto: unexpected end of group");
      --groups;
    } else if (groups == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace kinformer::apiserver::protobuf
