#ifndef KINFORMER_CLIENT_RESOURCE_CLIENT_H_
#define KINFORMER_CLIENT_RESOURCE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/client/options.h>
#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>
#include <kinformer/transport/transport.h>

namespace kinformer {

namespace internal {
class RestClient;
struct ClientAccess;
}  // namespace internal

/// One resource of an API server: what a KindInfo says, owned.
struct Resource {
  GroupVersionResource gvr{};
  std::string kind{};
  Scope scope = Scope::kNamespaced;

  static Resource Of(const KindInfo& info) { return {info.Gvr(), std::string(info.kind), info.scope}; }
  GroupVersionKind Gvk() const { return {gvr.group, gvr.version, kind}; }

  auto operator<=>(const Resource&) const = default;
};

/// What a list consists of.
struct ObjectList {
  std::vector<ObjectPtr> items{};
  /// Watch from here.
  std::string resource_version{};
  /// Set where the list was cut at `limit`.
  std::string continue_token{};
  std::optional<std::int64_t> remaining_item_count{};
};

/// What became of a delete.
struct DeleteResult {
  /// Set if the object is still there and waits for its finalizers or its grace period.
  ObjectPtr pending{};
};

/// The verbs of one resource, for objects of any kind. Cheap to copy.
///
/// Every call blocks, ends at once with kCancelled when `stop` is triggered, and answers a server's refusal as an Error
/// with its HTTP status and reason (see meta/status_error.h: IsNotFound, IsConflict, ...).
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ResourceClient {
 public:
  const Resource& resource() const { return resource_; }

  /// The same, asking the server for metadata only. Its objects are partial.
  ResourceClient MetadataOnly() const;

  Result<ObjectPtr> Get(std::string_view namespace_name, std::string_view name, const GetOptions& options = {},
                        const std::stop_token& stop = {}) const;

  /// All pages. Where the server forgets the list's version half-way (410), one unpaged list takes its place.
  Result<ObjectList> List(const ListOptions& options = {}, const std::stop_token& stop = {}) const;
  /// One page, `options.limit` objects at the most.
  Result<ObjectList> ListPage(const ListOptions& options = {}, const std::stop_token& stop = {}) const;
  /// All pages without holding them: `each` runs on the calling thread while the rest is still arriving. Returns the
  /// list without its items.
  Result<ObjectList> ForEach(const std::function<void(const ObjectPtr&)>& each, const ListOptions& options = {},
                             const std::stop_token& stop = {}) const;

  Result<ObjectPtr> Create(const Object& object, const WriteOptions& options = {},
                           const std::stop_token& stop = {}) const;
  /// Replaces the object. kFailedPrecondition for a partial one (Object::IsPartial): what it lacks would be deleted;
  /// use Patch or Apply.
  Result<ObjectPtr> Update(const Object& object, const WriteOptions& options = {},
                           const std::stop_token& stop = {}) const;
  Result<ObjectPtr> UpdateStatus(const Object& object, const WriteOptions& options = {},
                                 const std::stop_token& stop = {}) const;
  Result<ObjectPtr> Patch(std::string_view namespace_name, std::string_view name, PatchType type,
                          std::string_view patch, const WriteOptions& options = {},
                          const std::stop_token& stop = {}) const;
  /// Server-side apply: the fields in `object` become ours, those that we no longer name go away.
  Result<ObjectPtr> Apply(const Object& object, const ApplyOptions& options, const std::stop_token& stop = {}) const;
  /// Sets the number of replicas through the scale subresource; returns the Scale object.
  Result<ObjectPtr> ScaleTo(std::string_view namespace_name, std::string_view name, std::int64_t replicas,
                            const WriteOptions& options = {}, const std::stop_token& stop = {}) const;

  Result<DeleteResult> Delete(std::string_view namespace_name, std::string_view name, const DeleteOptions& options = {},
                              const std::stop_token& stop = {}) const;
  /// Deletes what `which` selects; its paging and progress do not count.
  Result<void> DeleteCollection(const ListOptions& which, const DeleteOptions& options = {},
                                const std::stop_token& stop = {}) const;

  /// Opens a watch; `stop` counts for the opening, WatchStream::Next takes its own.
  Result<WatchStream> Watch(const WatchOptions& options = {}, const std::stop_token& stop = {}) const;

 private:
  friend class Client;
  friend struct internal::ClientAccess;
  ResourceClient(std::shared_ptr<internal::RestClient> rest, Resource resource, std::string default_namespace);

  ObjectOptions DecodeOptions(bool keep_managed_fields, bool of_subresource) const;
  std::string NamespaceOf(const Object& object, const std::string& otherwise) const;
  Result<void> CheckKind(const Object& object, const std::string& subresource) const;
  Error BadList(Error error) const;
  Result<ObjectPtr> Decode(std::string_view body, const ObjectOptions& options) const;
  Result<ObjectPtr> Write(Request request, const ObjectOptions& decode, const std::stop_token& stop) const;
  Result<ObjectPtr> Put(const Object& object, const WriteOptions& options, const std::stop_token& stop) const;
  Result<ObjectList> ReadPage(const ListOptions& options, const std::function<void(ObjectPtr)>& each,
                              const std::stop_token& stop) const;

  std::shared_ptr<internal::RestClient> rest_;
  Resource resource_;
  std::string default_namespace_;
  bool metadata_only_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_RESOURCE_CLIENT_H_
