#include "src/codec/list_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "src/codec/block_scanner.h"
#include "src/codec/json_explain.h"
#include "src/codec/json_text.h"
#include "src/codec/json_walker.h"
#include "src/codec/object_builder.h"
#include "src/codec/status_reader.h"

namespace kinformer::internal {
namespace {

/// A buffer that has grown for one huge item is not kept for the rest of the list.
constexpr std::size_t kKeptItemBytes = 2U << 20U;
/// How much is kept of a body that may turn out to be a Status.
constexpr std::size_t kMaxOtherBytes = 64U << 10U;
constexpr std::size_t kSnippetBytes = 80;
constexpr std::string_view kSpace = " \n\r\t";
/// Continue tokens are sent back in the URL of a request.
constexpr std::size_t kMaxContinueBytes = 64U << 10U;

/// Collects one JSON value from a stream. It only finds the end, without validation, and copies nothing if the value
/// lies entirely inside one chunk.
class ValueCollector {
 public:
  /// Begins a value with `first`, the next byte that Take will see.
  void Begin(char first, std::size_t offset) {
    kind_ = first == '{' || first == '[' ? Kind::kContainer : first == '"' ? Kind::kString : Kind::kScalar;
    offset_ = offset;
    opened_ = escaped_ = false;
    scanner_.Reset();
    buffer_.clear();
    if (buffer_.capacity() > kKeptItemBytes) buffer_.shrink_to_fit();
  }

  /// Consumes bytes from the front of `input` up to the value's end. Returns the whole value, valid until the next
  /// Begin and while the input lives; nullopt if all of the input was consumed and more is needed.
  std::optional<std::string_view> Take(std::string_view& input) {
    const std::optional<std::size_t> end = FindEnd(input);
    const std::string_view piece = input.substr(0, end.value_or(input.size()));
    input.remove_prefix(piece.size());
    if (end && buffer_.empty()) return piece;
    buffer_.append(piece);
    return end ? std::optional<std::string_view>(buffer_) : std::nullopt;
  }

  std::size_t buffered() const { return buffer_.size(); }
  /// Where the value begins in the stream.
  std::size_t offset() const { return offset_; }

 private:
  enum class Kind { kContainer, kString, kScalar };

  std::optional<std::size_t> FindEnd(std::string_view input) {
    if (kind_ == Kind::kContainer) return scanner_.FindEnd(input);
    for (std::size_t i = 0; i < input.size(); ++i) {
      const char c = input[i];
      if (kind_ == Kind::kScalar) {
        if (EndsJsonScalar(c)) return i;
      } else if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        if (opened_) return i + 1;
        opened_ = true;
      }
    }
    return std::nullopt;
  }

  Kind kind_ = Kind::kScalar;
  std::size_t offset_ = 0;
  bool opened_ = false;
  bool escaped_ = false;
  BlockScanner scanner_;
  std::string buffer_;
};

}  // namespace

struct ListReader::Impl {
  enum class State {
    kBegin,       ///< Before the list's opening brace.
    kFirstKey,    ///< After it: a key, or the end.
    kKey,         ///< After a comma: a key.
    kInKey,       ///< Collecting it.
    kColon,       ///< After it.
    kValue,       ///< After the colon.
    kInValue,     ///< Collecting the value of a member other than items.
    kAfterValue,  ///< A comma, or the end.
    kFirstItem,   ///< After the items' opening bracket: an item, or the end.
    kItem,        ///< After a comma: an item.
    kInItem,      ///< Collecting it.
    kAfterItem,   ///< A comma, or the end of the items.
    kDone,        ///< After the list's closing brace.
  };

  explicit Impl(ListReaderOptions list_options) : options(std::move(list_options)), item_options(options.object) {}

  Result<void> Feed(std::string_view chunk, std::vector<ObjectPtr>& items);
  Result<ListMeta> Finish();

  bool Collecting() const { return state == State::kInKey || state == State::kInValue || state == State::kInItem; }
  /// Handles one byte between values, not a space. True if it was consumed; false if a value begins with it.
  Result<bool> OnByte(char c);
  Result<void> Collect(std::string_view& input, std::vector<ObjectPtr>& items);
  Result<void> OnKey(std::string_view text);
  Result<void> OnMember(std::string_view value);
  Result<void> OnListMetadata(std::string_view value);
  Result<void> OnItem(std::string_view text, std::vector<ObjectPtr>& items);
  Result<bool> BeginValue(char first);
  void ResolveItemType();
  Error TruncatedError() const;

  bool Begin(char first, State next) {
    collector.Begin(first, offset);
    state = next;
    return false;
  }
  bool Go(State next) {
    state = next;
    return true;
  }
  Error Unexpected(std::string_view expected) const {
    return MalformedAt({offset, {}, "expected " + std::string(expected)});
  }

  ListReaderOptions options;
  ObjectOptions item_options;  ///< With the kind of the items, as far as known.
  State state = State::kBegin;
  std::size_t offset = 0;            ///< Of the next byte, in the whole body.
  std::size_t bytes_since_item = 0;  ///< Bytes since the last item, or since the start.
  ValueCollector collector;
  std::string key;
  bool seen_items = false;
  std::size_t item_count = 0;
  std::string api_version;  ///< "v1"
  std::string kind;         ///< "PodList"
  ListMeta meta;
  std::string other_members;  ///< `"key":value,` of a body without items so far.
  std::optional<Error> failed;
};

Result<void> ListReader::Impl::Feed(std::string_view chunk, std::vector<ObjectPtr>& items) {
  if (failed) return *failed;
  std::string_view input = chunk;
  const std::size_t begin = offset;
  if (state == State::kBegin) {
    const std::size_t first = std::min(chunk.find_first_not_of(kSpace), chunk.size());
    if (first < chunk.size() && chunk[first] != '{') {
      offset += first;
      failed = Unexpected("a list, but the body begins with \"" +
                          PrintableSnippet(chunk.substr(first, 4 * kSnippetBytes), kSnippetBytes) + "\"");
      return *failed;
    }
  }
  while (!input.empty()) {
    offset = begin + (chunk.size() - input.size());
    std::optional<Error> error;
    const bool in_item = state == State::kInItem;
    const std::size_t before = input.size();
    if (Collecting()) {
      if (auto collected = Collect(input, items); !collected) error = std::move(collected).error();
    } else if (IsJsonSpace(input.front())) {
      input.remove_prefix(std::min(input.find_first_not_of(kSpace), input.size()));
    } else {
      auto consumed = OnByte(input.front());
      if (!consumed.ok()) {
        error = std::move(consumed).error();
      } else if (*consumed) {
        input.remove_prefix(1);
      }
    }
    bytes_since_item = in_item ? 0 : bytes_since_item + (before - input.size());
    if (!error && bytes_since_item > options.max_item_bytes) {
      error = Error{
          .code = ErrorCode::kTooLarge,
          .message = "the list has more than " + std::to_string(options.max_item_bytes) + " bytes without an item"};
    }
    if (error) {
      failed = *std::move(error);
      return *failed;
    }
  }
  offset = begin + chunk.size();
  return {};
}

Result<bool> ListReader::Impl::OnByte(char c) {
  switch (state) {
    case State::kBegin:
      if (c == '{') return Go(State::kFirstKey);
      return Unexpected("a list");
    case State::kFirstKey:
      if (c == '}') return Go(State::kDone);
      [[fallthrough]];
    case State::kKey:
      if (c == '"') return Begin(c, State::kInKey);
      return Unexpected(state == State::kKey ? "a key" : "a key or '}'");
    case State::kColon:
      if (c == ':') return Go(State::kValue);
      return Unexpected("':'");
    case State::kValue:
      return BeginValue(c);
    case State::kAfterValue:
      if (c == ',') return Go(State::kKey);
      if (c == '}') return Go(State::kDone);
      return Unexpected("',' or '}'");
    case State::kFirstItem:
      if (c == ']') return Go(State::kAfterValue);
      [[fallthrough]];
    case State::kItem:
      if (c == '{') return Begin(c, State::kInItem);
      return Annotate(Unexpected("a JSON object"), "item " + std::to_string(item_count));
    case State::kAfterItem:
      if (c == ',') return Go(State::kItem);
      if (c == ']') return Go(State::kAfterValue);
      return Unexpected("',' or ']' after item " + std::to_string(item_count - 1));
    case State::kDone:
      return MalformedAt({offset, {}, "unexpected text after the list"});
    case State::kInKey:
    case State::kInValue:
    case State::kInItem:
      break;
  }
  return Unexpected("nothing");
}

Result<bool> ListReader::Impl::BeginValue(char first) {
  if (EndsJsonScalar(first)) return Unexpected("a value");
  if (key != "items") return Begin(first, State::kInValue);
  if (seen_items) return MalformedAt({offset, "/items", "duplicate member items"});
  if (first == 'n') return Begin(first, State::kInValue);
  if (first != '[') return MalformedAt({offset, "/items", "expected an array"});
  seen_items = true;
  ResolveItemType();
  return Go(State::kFirstItem);
}

Result<void> ListReader::Impl::Collect(std::string_view& input, std::vector<ObjectPtr>& items) {
  const auto value = collector.Take(input);
  if ((value ? value->size() : collector.buffered()) > options.max_item_bytes) {
    Error error;
    error.code = ErrorCode::kTooLarge;
    error.message = (state == State::kInItem ? "item " + std::to_string(item_count) : "a member of the list") +
                    " is longer than " + std::to_string(options.max_item_bytes) + " bytes";
    return error;
  }
  if (!value) return {};
  switch (state) {
    case State::kInKey:
      state = State::kColon;
      return OnKey(*value);
    case State::kInItem:
      state = State::kAfterItem;
      return OnItem(*value, items);
    default:
      state = State::kAfterValue;
      return OnMember(*value);
  }
}

Result<void> ListReader::Impl::OnKey(std::string_view text) {
  if (!IsValidJson(text)) return MalformedJson(text, collector.offset());
  key = Unescape(text.substr(1, text.size() - 2));
  return {};
}

Result<void> ListReader::Impl::OnItem(std::string_view text, std::vector<ObjectPtr>& items) {
  auto object = ParseObject(text, item_options, collector.offset());
  if (!object) return Annotate(std::move(object).error(), "item " + std::to_string(item_count));
  items.push_back(*std::move(object));
  ++item_count;
  return {};
}

Result<void> ListReader::Impl::OnMember(std::string_view value) {
  if (!IsValidJson(value)) return MalformedJson(value, collector.offset());
  if (key == "metadata") return OnListMetadata(value);
  if (key == "items") {
    seen_items = true;
    return {};
  }
  if (key == "kind" || key == "apiVersion") {
    const Value text = MakeValue(value);
    if (!text.IsNull() && !text.AsString()) {
      return MalformedAt({collector.offset(), "/" + key, "expected a string"});
    }
    (key == "kind" ? kind : api_version) = text.StringOr("");
  }
  if (!seen_items && other_members.size() + key.size() + value.size() < kMaxOtherBytes) {
    AppendQuoted(key, other_members);
    other_members.append(":").append(value).append(",");
  }
  return {};
}

Result<void> ListReader::Impl::OnListMetadata(std::string_view value) {
  const Value metadata = MakeValue(value);
  if (metadata.IsNull()) return {};
  if (value.front() != '{') return MalformedAt({collector.offset(), "/metadata", "metadata is not an object"});
  const auto text = [&](std::string_view pointer, std::string& field, std::size_t limit) -> Result<void> {
    const Value found = metadata.At(pointer);
    if (found.Exists() && !found.IsNull() && !found.AsString()) {
      return MalformedAt({collector.offset(), "/metadata" + std::string(pointer), "expected a string"});
    }
    field = found.StringOr("");
    if (field.size() <= limit) return {};
    return MalformedAt(
        {collector.offset(), "/metadata" + std::string(pointer), "longer than " + std::to_string(limit) + " bytes"});
  };
  if (auto read = text("/resourceVersion", meta.resource_version, kMaxResourceVersionBytes); !read) return read;
  if (auto read = text("/continue", meta.continue_token, kMaxContinueBytes); !read) return read;
  const Value remaining = metadata.At("/remainingItemCount");
  if (remaining.Exists() && !remaining.IsNull() && !remaining.AsInt()) {
    return MalformedAt({collector.offset(), "/metadata/remainingItemCount", "expected an integer"});
  }
  meta.remaining_item_count = remaining.AsInt();
  return {};
}

void ListReader::Impl::ResolveItemType() {
  constexpr std::string_view kSuffix = "List";
  GroupVersionKind& gvk = item_options.default_gvk;
  // A plain "List" holds items of any kind, which name their kinds themselves.
  if (kind.size() <= kSuffix.size() || !kind.ends_with(kSuffix)) return;
  gvk.kind = kind.substr(0, kind.size() - kSuffix.size());
  if (api_version.empty()) return;
  const std::size_t slash = api_version.find('/');
  gvk.group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  gvk.version = api_version.substr(slash == std::string::npos ? 0 : slash + 1);
}

Error ListReader::Impl::TruncatedError() const {
  std::string where;
  if (state == State::kBegin) where = " before it begins";
  if (state == State::kInItem) where = " inside item " + std::to_string(item_count);
  if (state == State::kFirstItem || state == State::kItem || state == State::kAfterItem) {
    where = " after " + std::to_string(item_count) + " items";
  }
  return MalformedAt({offset, {}, "the list is truncated" + where});
}

Result<ListMeta> ListReader::Impl::Finish() {
  if (failed) return *failed;
  if (state != State::kDone) {
    failed = TruncatedError();
    return *failed;
  }
  if (seen_items) return std::move(meta);
  if (!other_members.empty()) other_members.back() = '}';
  if (auto status = ErrorFromStatus("{" + other_members)) {
    failed = *std::move(status);
  } else {
    Error error;
    error.code = ErrorCode::kMalformed;
    error.message = "expected a list, but the body has no items";
    if (!kind.empty()) error.message += ": it is of kind " + PrintableSnippet(kind, kSnippetBytes);
    failed = std::move(error);
  }
  return *failed;
}

ListReader::ListReader(ListReaderOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
ListReader::~ListReader() = default;
ListReader::ListReader(ListReader&&) noexcept = default;
ListReader& ListReader::operator=(ListReader&&) noexcept = default;

Result<void> ListReader::Feed(std::string_view chunk, std::vector<ObjectPtr>& items) {
  return impl_->Feed(chunk, items);
}
Result<ListMeta> ListReader::Finish() { return impl_->Finish(); }

}  // namespace kinformer::internal
