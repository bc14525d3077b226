// error: has no member named .Replicas|no member named .Replicas
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/metadata_of.h>

using kinformer::apps::v1::Deployment;

std::size_t Size(const kinformer::MetadataOf<Deployment>& deployment) {
#ifdef WRONG
  return static_cast<std::size_t>(deployment.Replicas());
#else
  return deployment.Labels().size();
#endif
}
