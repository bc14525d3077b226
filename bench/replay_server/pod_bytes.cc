#include "bench/replay_server/pod_bytes.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "bench/pod_generator.h"

namespace kinformer::bench {
namespace {

constexpr std::string_view kVersionPlaceholder = "8888888888";
constexpr std::string_view kSentPlaceholder = "7777777777777777777";
constexpr std::string_view kExpired =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the resourceVersion is too old","reason":"Expired","code":410})";
constexpr std::size_t kMaxPodBytes = 1U << 20U;

void PutDigits(char* at, std::size_t width, std::uint64_t number) {
  for (std::size_t i = width; i > 0; --i, number /= 10) at[i - 1] = static_cast<char>('0' + number % 10);
}

/// A pod's bytes, with the positions of its stamp.
class Template {
 public:
  explicit Template(std::string bytes)
      : bytes_(std::move(bytes)),
        version_at_(bytes_.find(kVersionPlaceholder)),
        sent_at_(bytes_.find(kSentPlaceholder)) {
    if (version_at_ == std::string::npos) throw std::runtime_error("a pod without room for its resourceVersion");
  }

  std::size_t size() const { return bytes_.size(); }

  void AppendTo(std::string& out, const Stamp& stamp) const {
    const std::size_t begin = out.size();
    out += bytes_;
    PutDigits(&out[begin + version_at_], kVersionPlaceholder.size(), stamp.version);
    if (sent_at_ != std::string::npos) PutDigits(&out[begin + sent_at_], kSentPlaceholder.size(), stamp.sent);
  }

 private:
  std::string bytes_;
  std::size_t version_at_;
  std::size_t sent_at_;
};

class JsonBytes final : public PodBytes {
 public:
  explicit JsonBytes(const std::vector<std::string>& stamped) {
    pods_.reserve(stamped.size());
    // Without the opening brace, because list items and events begin differently.
    for (const std::string& pod : stamped) pods_.emplace_back(pod.substr(1));
  }

  std::string_view ListContentType() const override { return "application/json"; }
  std::string_view WatchContentType() const override { return "application/json"; }

  void AppendListHead(std::string& out, const ListPage& page, const std::vector<std::size_t>&) const override {
    out +=
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::to_string(page.version) + '"';
    if (!page.continue_token.empty()) {
      out += R"(,"continue":")" + page.continue_token + R"(","remainingItemCount":)" + std::to_string(page.remaining);
    }
    out += R"(},"items":[)";
  }
  void AppendItem(std::string& out, std::size_t pod, const Stamp& stamp, bool first) const override {
    out += first ? "{" : ",{";
    pods_[pod].AppendTo(out, stamp);
  }
  void AppendListTail(std::string& out) const override { out += "]}\n"; }

  void AppendEvent(std::string& out, EventType type, std::size_t pod, const Stamp& stamp) const override {
    out += type == EventType::kAdded ? R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",)"
                                     : R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",)";
    pods_[pod].AppendTo(out, stamp);
    out += "}\n";
  }
  void AppendBookmark(std::string& out, std::uint64_t version, bool initial_events_end) const override {
    out += R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",)";
    pods_[pods_.size() - (initial_events_end ? 1 : 2)].AppendTo(out, {.version = version});
    out += "}\n";
  }
  void AppendExpired(std::string& out) const override {
    out += R"({"type":"ERROR","object":)";
    out += kExpired;
    out += "}\n";
  }

 private:
  std::vector<Template> pods_;
};

// --- Protobuf: only the envelopes are written here; the encoded pods come from client-go. ---

constexpr std::string_view kMagic("k8s\0", 4);

std::size_t VarintSize(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7U) ++size;
  return size;
}

void PutVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  out += static_cast<char>(value);
}

/// The head of a length-delimited field, to be followed by `size` bytes.
void PutHead(std::string& out, unsigned field, std::size_t size) {
  PutVarint(out, field << 3U | 2U);
  PutVarint(out, size);
}

void PutField(std::string& out, unsigned field, std::string_view bytes) {
  PutHead(out, field, bytes.size());
  out += bytes;
}

/// The encoded size of a field; valid for field numbers below 16.
std::size_t FieldSize(std::size_t size) { return 1 + VarintSize(size) + size; }

std::string TypeMeta(std::string_view kind) {
  std::string meta;
  PutField(meta, 1, "v1");
  PutField(meta, 2, kind);
  std::string field;
  PutField(field, 1, meta);
  return field;
}

class ProtobufBytes final : public PodBytes {
 public:
  ProtobufBytes(const std::string& file, std::size_t count) : pod_meta_(TypeMeta("Pod")) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + file);
    pods_.reserve(count);
    for (unsigned char head[4]; in.read(reinterpret_cast<char*>(head), sizeof head);) {
      const std::size_t size =
          std::size_t{head[0]} << 24U | std::size_t{head[1]} << 16U | std::size_t{head[2]} << 8U | std::size_t{head[3]};
      std::string bytes(size <= kMaxPodBytes ? size : 0, '\0');
      if (bytes.empty() || !in.read(bytes.data(), static_cast<std::streamsize>(size))) {
        throw std::runtime_error(file + " is damaged");
      }
      pods_.emplace_back(std::move(bytes));
    }
    if (pods_.size() != count) {
      throw std::runtime_error(file + " has " + std::to_string(pods_.size()) + " records, not " +
                               std::to_string(count));
    }
  }

  std::string_view ListContentType() const override { return "application/vnd.kubernetes.protobuf"; }
  std::string_view WatchContentType() const override { return "application/vnd.kubernetes.protobuf;stream=watch"; }

  void AppendListHead(std::string& out, const ListPage& page, const std::vector<std::size_t>& pods) const override {
    std::string meta;
    PutField(meta, 2, std::to_string(page.version));
    if (!page.continue_token.empty()) {
      PutField(meta, 3, page.continue_token);
      PutVarint(meta, 4U << 3U);
      PutVarint(meta, page.remaining);
    }
    std::size_t size = FieldSize(meta.size());
    for (const std::size_t pod : pods) size += FieldSize(pods_[pod].size());
    out += kMagic;
    out += TypeMeta("PodList");
    PutHead(out, 2, size);
    PutField(out, 1, meta);
  }
  void AppendItem(std::string& out, std::size_t pod, const Stamp& stamp, bool) const override {
    PutHead(out, 2, pods_[pod].size());
    pods_[pod].AppendTo(out, stamp);
  }
  void AppendListTail(std::string&) const override {}

  void AppendEvent(std::string& out, EventType type, std::size_t pod, const Stamp& stamp) const override {
    AppendPodEvent(out, type == EventType::kAdded ? "ADDED" : "MODIFIED", pods_[pod], stamp);
  }
  void AppendBookmark(std::string& out, std::uint64_t version, bool initial_events_end) const override {
    AppendPodEvent(out, "BOOKMARK", pods_[pods_.size() - (initial_events_end ? 1 : 2)], {.version = version});
  }
  void AppendExpired(std::string& out) const override {
    // metav1.Status; its fields are: 2 status, 3 message, 4 reason, 6 code.
    std::string status;
    PutField(status, 2, "Failure");
    PutField(status, 3, "the resourceVersion is too old");
    PutField(status, 4, "Expired");
    PutVarint(status, 6U << 3U);
    PutVarint(status, 410);
    const std::string meta = TypeMeta("Status");
    AppendEnvelope(out, "ERROR", meta, status.size());
    out += status;
  }

 private:
  void AppendPodEvent(std::string& out, std::string_view type, const Template& pod, const Stamp& stamp) const {
    AppendEnvelope(out, type, pod_meta_, pod.size());
    pod.AppendTo(out, stamp);
  }

  /// A frame up to the object's own bytes: WatchEvent { 1 type, 2 RawExtension { 1 Unknown { 2 raw } } }.
  static void AppendEnvelope(std::string& out, std::string_view type, const std::string& meta, std::size_t object) {
    const std::size_t unknown = kMagic.size() + meta.size() + FieldSize(object);
    const std::size_t extension = FieldSize(unknown);
    const std::size_t frame = FieldSize(type.size()) + FieldSize(extension);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(frame >> shift);
    PutField(out, 1, type);
    PutHead(out, 2, extension);
    PutHead(out, 1, unknown);
    out += kMagic;
    out += meta;
    PutHead(out, 2, object);
  }

  const std::string pod_meta_;
  std::vector<Template> pods_;
};

/// Replaces the text between `before` and the next quote.
void Replace(std::string& text, std::string_view before, std::string_view with) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) throw std::runtime_error("a pod without " + std::string(before));
  const std::size_t begin = at + before.size();
  text.replace(begin, text.find('"', begin) - begin, with);
}

std::string BookmarkText(std::string_view annotations) {
  return R"({"metadata":{"resourceVersion":")" + std::string(kVersionPlaceholder) + R"(","creationTimestamp":null)" +
         std::string(annotations) + R"(},"spec":{"containers":null},"status":{}})";
}

}  // namespace

std::vector<std::string> StampedPods(std::size_t count) {
  constexpr std::string_view kAnnotations = R"("annotations":{)";
  const std::string sent = R"("bench/sent":")" + std::string(kSentPlaceholder) + R"(",)";
  std::vector<std::string> pods;
  pods.reserve(count + 2);
  for (std::size_t i = 0; i < count; ++i) {
    std::string pod = PodJson(i);
    Replace(pod, R"("resourceVersion":")", kVersionPlaceholder);
    const std::size_t annotations = pod.find(kAnnotations);
    if (annotations == std::string::npos) throw std::runtime_error("a pod without annotations");
    pod.insert(annotations + kAnnotations.size(), sent);
    pods.push_back(std::move(pod));
  }
  pods.push_back(BookmarkText(""));
  pods.push_back(BookmarkText(R"(,"annotations":{"k8s.io/initial-events-end":"true"})"));
  return pods;
}

std::unique_ptr<const PodBytes> JsonPodBytes(const std::vector<std::string>& stamped) {
  return std::make_unique<const JsonBytes>(stamped);
}

std::unique_ptr<const PodBytes> ProtobufPodBytes(const std::string& file, std::size_t count) {
  return std::make_unique<const ProtobufBytes>(file, count);
}

}  // namespace kinformer::bench
