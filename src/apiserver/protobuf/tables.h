#ifndef KINFORMER_SRC_APISERVER_PROTOBUF_TABLES_H_
#define KINFORMER_SRC_APISERVER_PROTOBUF_TABLES_H_

// In:     nothing
// Out:    the fields of Kubernetes' protobuf messages, with their JSON names
// Thread: constant
// Next:   ProtobufDecoder

#include <cstdint>
#include <span>
#include <string_view>

namespace kinformer::apiserver::protobuf {

enum FieldType : std::uint8_t { kString, kBool, kInt32, kInt64, kBytes, kDouble, kMessage };

enum FieldFlags : std::uint8_t {
  kRepeated = 1,
  kMap = 2,  ///< from strings to values of the field's type
  /// Its fields belong to the enclosing object.
  kInline = 4,
  /// Zero values are written too: a pointer, or a field without omitempty.
  kKeepZero = 8,
  /// Omitted if the message is empty.
  kOmitEmptyMessage = 16,
};

/// The JSON form of a message.
enum Shape : std::uint8_t {
  kObject,
  kItems,  ///< written as its only field, a list
  kQuantity,
  kIntOrString,
  kTime,
  kMicroTime,
  kDuration,
  kRawJson,  ///< its bytes are JSON
  kSchemaOrArray,
  kSchemaOrBool,
  kSchemaOrStrings,
};

struct Field {
  std::uint16_t name;
  std::uint8_t name_length;
  std::uint16_t number;
  FieldType type;
  std::uint8_t flags;
  std::uint16_t message;

  bool Is(FieldFlags flag) const { return (flags & flag) != 0; }
  std::string_view Name() const;
  bool IsVarint() const { return type == kBool || type == kInt32 || type == kInt64; }
};

struct Message {
  std::uint16_t name;
  std::uint8_t name_length;
  std::uint16_t first_field;
  std::uint16_t field_count;
  Shape shape;

  /// "PodSpec".
  std::string_view Name() const;
  /// Sorted by number.
  std::span<const Field> Fields() const;
  /// Null: no such field.
  const Field* Find(std::uint64_t number) const;
};

struct Kind {
  std::uint16_t api_version;
  std::uint8_t api_version_length;
  std::uint16_t kind;
  std::uint8_t kind_length;
  std::uint16_t message;
};

/// Precondition: the field has type kMessage.
const Message& MessageOf(const Field& field);

/// Null: unknown. DeleteOptions and the other options exist in every group and version.
const Message* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace kinformer::apiserver::protobuf

#endif  // KINFORMER_SRC_APISERVER_PROTOBUF_TABLES_H_
