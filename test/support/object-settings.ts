/** A bucket of s3rver, and its keys. */
export const S3_SETTINGS = {
  region: 'eu-west-1',
  path_style: null,
  access_key_id: 'S3RVER',
  secret_access_key: 'S3RVER',
  session_token: '',
};
