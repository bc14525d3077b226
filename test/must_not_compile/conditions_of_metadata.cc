// error: has no member named .HasTrueCondition|no member named .HasTrueCondition
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/metadata_of.h>

using kinformer::apps::v1::Deployment;

#ifdef WRONG
bool IsAvailable(const kinformer::MetadataOf<Deployment>& deployment) {
#else
bool IsAvailable(const Deployment& deployment) {
#endif
  return deployment.HasTrueCondition("Available");
}
