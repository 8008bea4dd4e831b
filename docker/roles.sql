-- Run once by the image of PostgreSQL, when its volume is empty: the role and the database of the application.
-- The role owns its database and may create others, in which backups are checked; it is no superuser.
\set password `cat /run/secrets/attune_password`
CREATE ROLE attune LOGIN CREATEDB NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE attune OWNER attune;
REVOKE CONNECT ON DATABASE attune FROM PUBLIC;
